// The canary: a trivial Program that an engine must get right even after an error.
//
// An exception can leave an engine in a broken state. The canary runs in the process that has just
// raised an error. If it is wrong there and right in a fresh process, the error broke the engine's
// state. If it is wrong in both, it says nothing: random Programs show such a defect better.

#pragma once

#include <optional>

#include "autograd/program/program.h"
#include "proptests/conformance/foreign_judge.h"
#include "proptests/conformance/session.h"

namespace twingrad::conformance {

class Canary {
 public:
  explicit Canary(const protocol::Hello& hello);

  // Call it when the session's last reply was an error. If the engine's state is broken: what is
  // wrong; the session then runs a fresh process.
  std::optional<ForeignVerdict> Judge(Session& session);

 private:
  ForeignVerdict RunOnce(Session& session) const;

  std::optional<twingrad::program::Program> program_;
};

}  // namespace twingrad::conformance
