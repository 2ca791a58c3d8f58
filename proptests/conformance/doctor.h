// The doctor's round: random Programs of each op that an adapter claims, and how each of them
// ended.
//
// Knows nothing of processes: the caller passes a function that tries one Program.

#pragma once

#include <functional>
#include <string>

#include "autograd/program/program.h"
#include "proptests/conformance/foreign_judge.h"
#include "proptests/generators/options.h"
#include "proptests/protocol/hello.h"

namespace twingrad::conformance {

// How one Program ended. `failed`: something is wrong with the engine or its adapter.
struct Trial {
  Outcome outcome = Outcome::kAgree;
  bool failed = false;
  std::string text;
};
using TryProgram = std::function<Trial(const twingrad::program::Program&)>;

struct Round {
  std::string text;  // a line or more for each op of the hello
  // No claimed op has failed, and each but those that random Programs never hold was judged.
  bool healthy = true;
  bool stopped = false;  // early, because each hang takes the whole time limit
};

// `options`: what Programs may hold, at most.
Round ExamineOps(const protocol::Hello& hello, const generators::GeneratorOptions& options,
                 const TryProgram& attempt);

}  // namespace twingrad::conformance
