// A Verdict: what one oracle says of one Program.
//
// Oracles are pure functions of Observations (and of the Program that they are of); a Verdict is
// plain data. The text of a disagreement has three to six lines and is what a person reads first,
// so it names the statement, the rule of comparison and both values.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace twingrad::oracles {

enum class Outcome : uint8_t {
  kAgree,
  kDisagree,  // a finding
  kSkipped,   // could not be judged; the text says why. Never counted as passed
};

// The kind of a disagreement, for readers of Verdicts that treat some kinds differently.
enum class Detail : uint8_t {
  kNone,
  kOnlyDefined,  // a value or .grad is there that should not be
  kRuns,         // a node ran too often or not at all
  kWitness,      // the engine is right as far as this oracle can tell, and a witness is wrong
};

// How much an oracle compared before it disagreed, if it did. The counts of Verdicts can be added.
struct Compared {
  uint64_t values = 0;
  // Tensors (.grad and results of grad), by the rule of comparison.
  uint64_t gradients_exact = 0;         // proved exact: the same bits
  uint64_t gradients_bounded = 0;       // within a computed error bound
  uint64_t gradients_not_compared = 0;  // the bound was too wide to mean anything
  uint64_t counts_predicted = 0;        // nodes whose count the twin predicted from the Program
  uint64_t counts_recounted = 0;        // nodes whose count was recounted from the recorded graph
  uint64_t elements_in_balls = 0;       // elements of values and .grad beside a ball
  uint64_t elements_without_ball = 0;   // ... of which ball or stated bound say little

  uint64_t waits = 0;           // nodes on streams that waited for what they take
  uint64_t needless_waits = 0;  // ... and that waited for more
  uint64_t unordered = 0;       // runs of Programs whose streams do not follow each other
  uint64_t racing = 0;  // statements that touch memory in no order for certain, and reported
  uint64_t races = 0;   // reports of accesses that the Program does not order

  uint64_t gradients() const {
    return gradients_exact + gradients_bounded + gradients_not_compared;
  }
  void Add(const Compared& other) {
    values += other.values;
    gradients_exact += other.gradients_exact;
    gradients_bounded += other.gradients_bounded;
    gradients_not_compared += other.gradients_not_compared;
    counts_predicted += other.counts_predicted;
    counts_recounted += other.counts_recounted;
    elements_in_balls += other.elements_in_balls;
    elements_without_ball += other.elements_without_ball;
    waits += other.waits;
    needless_waits += other.needless_waits;
    unordered += other.unordered;
    racing += other.racing;
    races += other.races;
  }
};

struct Verdict {
  Outcome outcome = Outcome::kAgree;
  std::string_view oracle;  // a literal: "twin", "dual", "recount", ...
  std::string text;         // disagreement: 3 to 6 lines; skipped: the reason; agreement: empty
  std::vector<int32_t> statements;  // those to mark in a picture
  Detail detail = Detail::kNone;
  Compared compared = {};
};

inline Verdict Agree(std::string_view oracle) {
  return {Outcome::kAgree, oracle, {}, {}, Detail::kNone, {}};
}
inline Verdict Agree(std::string_view oracle, const Compared& compared) {
  return {Outcome::kAgree, oracle, {}, {}, Detail::kNone, compared};
}

inline Verdict Skip(std::string_view oracle, std::string reason) {
  return {Outcome::kSkipped, oracle, std::move(reason), {}, Detail::kNone, {}};
}

inline Verdict Disagree(std::string_view oracle, std::string text,
                        std::vector<int32_t> statements = {}, Detail detail = Detail::kNone) {
  return {Outcome::kDisagree, oracle, std::move(text), std::move(statements), detail, {}};
}

}  // namespace twingrad::oracles
