// StateRules: what must hold of the code under test whenever its threads stand still.
//
// The scheduler tells of the objects that carry an AG_INSPECTED as they come and go, and asks after
// every step, before another thread may run (but where nothing has changed): a broken rule ends the
// execution at the step that broke it. engine_rules.h has those of the engine.
#ifndef PROPTESTS_INTERLEAVE_CHECKER_STATE_RULES_H_
#define PROPTESTS_INTERLEAVE_CHECKER_STATE_RULES_H_

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

  // An execution begins: no object lives.
  virtual void Begin() = 0;
  virtual void Appear(const std::type_info& type, const void* object) = 0;
  virtual void Vanish(const std::type_info& type, const void* object) = 0;
  // The first rule that does not hold. Takes no step of the model.
  virtual std::optional<BrokenRule> Check() = 0;
  // Whether the last Check looked at every object, and at nothing but their cells: then it need not
  // be asked again until a cell is written or an object comes or goes.
  virtual bool HasSeenAll() const { return false; }
};

}  // namespace twingrad::interleave

#endif  // PROPTESTS_INTERLEAVE_CHECKER_STATE_RULES_H_
