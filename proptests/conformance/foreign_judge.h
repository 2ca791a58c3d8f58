// Judges what a foreign engine showed of one Program: agree, refuse, convention or wrong.
//
// The twin follows the rules of the engine's dialect; facts that the adapter does not show are not
// compared. Before an engine is blamed the dual numbers and the balls give a second opinion of the
// twin: where they differ from it, the fault is this repository's and is reported as such. Of some
// Programs the balls judge each element of the engine's, too. Pure functions.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/reference/choices.h"
#include "proptests/conformance/expectation.h"
#include "proptests/judge/statistics.h"
#include "proptests/protocol/hello.h"

namespace twingrad::conformance {

enum class Outcome : uint8_t {
  kAgree,
  kRefuse,      // the engine says that it does not do this
  kConvention,  // other numbers that are right too: another subgradient at a kink, an absent zero
  kExplained,   // wrong, as an expected failure says
  // The engine or its adapter is to blame for the five from kWrong to kProtocol.
  kWrong,
  kCrash,
  kHang,
  kMemory,
  kProtocol,
  kNotJudged,  // what is right is not known: the twin skips it, or a kink of no known set reaches
               // it
};
inline constexpr int kNumOutcomes = static_cast<int>(Outcome::kNotJudged) + 1;
std::string_view OutcomeWord(Outcome outcome);

// What other choices an engine was seen to take.
struct ConventionsTaken {
  uint32_t elements = 0;    // that are right and not the twin's
  uint32_t not_judged = 0;  // that a kink reaches, and of which no legal answers are known
  bool enclosed = false;    // told by intervals alone, of more combinations than are tried
  bool or_nan = false;      // NaN in place of 0 times an infinity
  bool absent = false;      // a zero that one has and the other not
  std::array<bool, twingrad::reference::kNumKinks> kinks = {};
  std::string example;  // a line: the first such element
};

struct ForeignVerdict {
  Outcome outcome = Outcome::kAgree;
  std::string rule;          // the oracle that disagreed: twin, errors, recount, ...
  std::string text;          // 3 to 8 lines
  std::string explained_by;  // the entry of the list, of what it explains
  std::vector<int32_t> statements;
  ConventionsTaken taken;
  bool ran = false;        // the engine ran the Program, be it to an error
  bool called = false;     // ... and a call of the engine came back
  bool recounted = false;  // ... and each such call was shown and counted again
  bool predicted = false;  // the counts of a call were predicted, beyond the recount
};

// `observed` is changed: facts that the adapter does not show become those of the twin.
ForeignVerdict JudgeForeign(const twingrad::program::Program& program, const protocol::Hello& hello,
                            Expectation& expected, twingrad::program::Observation& observed,
                            judge::Statistics* statistics);

}  // namespace twingrad::conformance
