// Generator and shrinker for RapidCheck: an arbitrary Program that shrinks by the same steps.

#pragma once

#include <optional>
#include <ostream>
#include <utility>

#include <rapidcheck.h>
#include "autograd/program/print.h"
#include "autograd/program/program.h"
#include "proptests/generators/generate.h"
#include "proptests/shrink/candidates.h"

namespace twingrad::shrink {

// The candidates as one of RapidCheck's sequences.
class CandidateSequence {
 public:
  explicit CandidateSequence(twingrad::program::Program program)
      : candidates_(std::move(program)) {}

  rc::Maybe<twingrad::program::Program> operator()() {
    std::optional<twingrad::program::Program> next = candidates_.Next();
    if (!next) return rc::Nothing;
    return *std::move(next);
  }

 private:
  Candidates candidates_;
};

inline rc::Shrinkable<twingrad::program::Program> ToShrinkable(twingrad::program::Program program) {
  return rc::shrinkable::shrinkRecur(std::move(program), [](const twingrad::program::Program& p) {
    return rc::makeSeq<CandidateSequence>(p);
  });
}

inline rc::Gen<twingrad::program::Program> ArbitraryProgram(
    const generators::GeneratorOptions& options = {}) {
  return [options](const rc::Random& random, int) {
    rc::Random copy = random;
    return ToShrinkable(generators::Generate(copy.next(), options));
  };
}

}  // namespace twingrad::shrink

namespace twingrad::program {

// How RapidCheck prints a counter-example: the text that `tools/oracle run` takes.
inline void showValue(const Program& program, std::ostream& os) { os << "\n" << Print(program); }

}  // namespace twingrad::program
