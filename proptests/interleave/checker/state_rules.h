// StateRules: invariants of the code under test, checked between steps.
//
// The scheduler reports when objects that carry an AG_INSPECTED are created and destroyed. It calls
// Check after every step that changed something, before another thread may run, so a broken rule
// ends the execution at the step that broke it. engine_rules.h has the rules of the engine.
#pragma once

#include <optional>
#include <string>
#include <typeinfo>

namespace twingrad::interleave {

struct BrokenRule {
  std::string name;  // the same for every execution that breaks it
  std::string text;  // "[part] what is wrong with the actual values; what is allowed"
};

class StateRules {
 public:
  virtual ~StateRules() = default;

  // An execution begins; no object exists yet.
  virtual void Begin() = 0;
  virtual void Appear(const std::type_info& type, const void* object) = 0;
  virtual void Vanish(const std::type_info& type, const void* object) = 0;
  // A thread is about to write the cell at this address. Returns whether rules read it: then Check
  // follows the step.
  virtual bool Touch(const void* /*cell*/) { return true; }
  // The first rule that does not hold. Must not take a step of the model.
  virtual std::optional<BrokenRule> Check() = 0;
  // Whether every object has been read as it is now, and nothing but their cells. If so, Check is
  // not called again until a cell that rules read is written or an object is created or destroyed.
  virtual bool HasSeenAll() const { return false; }
};

}  // namespace twingrad::interleave
