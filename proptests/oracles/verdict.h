// A Verdict: what one oracle says of one Program.
//
// Oracles are pure functions of Observations (and of the Program that they are of); a Verdict is
// plain data. The text of a disagreement has three to six lines and is what a person reads first,
// so it names the statement, the rule of comparison and both values.

#ifndef PROPTESTS_ORACLES_VERDICT_H_
#define PROPTESTS_ORACLES_VERDICT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace twingrad::oracles {

enum class Outcome : uint8_t {
  kAgree,
  kDisagree,  // a finding
  kSkipped,   // could not be judged, and says why: never counted as passed
};

struct Verdict {
  Outcome outcome = Outcome::kAgree;
  std::string_view oracle;  // a literal: "twin", "dual", "recount", ...
  std::string text;         // disagreement: 3 to 6 lines; skipped: the reason; agreement: empty
  std::vector<int32_t> statements;  // those to mark in a picture
};

inline Verdict Agree(std::string_view oracle) { return {Outcome::kAgree, oracle, {}, {}}; }

inline Verdict Skip(std::string_view oracle, std::string reason) {
  return {Outcome::kSkipped, oracle, std::move(reason), {}};
}

inline Verdict Disagree(std::string_view oracle, std::string text,
                        std::vector<int32_t> statements = {}) {
  return {Outcome::kDisagree, oracle, std::move(text), std::move(statements)};
}

}  // namespace twingrad::oracles

#endif  // PROPTESTS_ORACLES_VERDICT_H_
