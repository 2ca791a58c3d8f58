// The doctor: everything that a hello claims, tried on its engine, for the author of an adapter.
//
// The round over the ops knows nothing of processes: its caller passes a function that tries one
// Program.

#pragma once

#include <functional>
#include <string>

#include "autograd/program/program.h"
#include "proptests/conformance/adapted_engine.h"
#include "proptests/conformance/foreign_judge.h"
#include "proptests/generators/options.h"
#include "proptests/protocol/hello.h"
#include "proptests/subjects/subject.h"

namespace twingrad::conformance {

// Takes out of `options` what the hello does not claim: random Programs hold only the rest.
void KeepClaimed(const protocol::Hello& hello, generators::GeneratorOptions* options);

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

// Random Programs of each op that the hello claims. `options`: what Programs may hold, at most.
Round ExamineOps(const protocol::Hello& hello, const generators::GeneratorOptions& options,
                 const TryProgram& attempt);

// The page of `oracle doctor`: the handshake, that round, conventions, and expected failures whose
// date has passed.
subjects::ForeignEngine::Examination Examine(AdaptedEngine& engine,
                                             const generators::GeneratorOptions& options,
                                             const TryProgram& attempt);

// For machines: a JSON object of name, version and conventions, these an array of objects with
// point, choice and twin.
std::string Describe(AdaptedEngine& engine);

}  // namespace twingrad::conformance
