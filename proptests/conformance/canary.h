// The canary: a trivial Program that an engine must get right even after an error.
//
// Engines keep broken state when something was thrown. The canary runs in the process that has just
// shown an error; one that is wrong there and right in a fresh process says that the state is
// broken. One that is wrong in both says nothing: random Programs show such a defect better.

#ifndef PROPTESTS_CONFORMANCE_CANARY_H_
#define PROPTESTS_CONFORMANCE_CANARY_H_

#include <optional>

#include "autograd/program/program.h"
#include "proptests/conformance/foreign_judge.h"
#include "proptests/conformance/session.h"

namespace twingrad::conformance {

class Canary {
 public:
  Canary() = default;  // never sings
  explicit Canary(const protocol::Hello& hello);

  // To be called when the session's last reply was an error. What is wrong, if the engine's state
  // is; its process is then a fresh one.
  std::optional<ForeignVerdict> Judge(Session& session);

 private:
  ForeignVerdict RunOnce(Session& session) const;

  std::optional<twingrad::program::Program> program_;
};

}  // namespace twingrad::conformance

#endif  // PROPTESTS_CONFORMANCE_CANARY_H_
