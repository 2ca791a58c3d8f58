// Two runs of one Program, bit by bit.

#include <string>

#include "proptests/oracles/oracle_test_support.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

// Of what the twin shows and the same falsified, with threads.
Verdict JudgeFalsified(const Falsification& falsify) {
  Trial trial(kProduct);
  falsify(trial.observed);
  return JudgeDeterminism(trial.program, trial.observed, trial.expected.observation, true, "runs");
}

TEST(Determinism, SameBitsAgree) {
  ExpectAgreement(JudgeFalsified([](program::Observation&) {}));
}

TEST(Determinism, OneBitIsEnough) {
  ExpectFinding(JudgeFalsified([](program::Observation& o) { o.values[0].grad.bits[0] ^= 1; }),
                "determinism");
}

TEST(Determinism, CountsAndErrorsAreCompared) {
  ExpectFinding(JudgeFalsified([](program::Observation& o) { ++o.calls[0].dependencies[1]; }),
                "determinism");
  ExpectFinding(JudgeFalsified([](program::Observation& o) {
                  o.error = {ErrorKind::kUser, 5, ""};
                }),
                "determinism");
}

TEST(Determinism, WhatTheTwinPredictsForOneThreadAloneIsComparedOnOneAlone) {
  Trial trial(kProduct);
  trial.expected.single_thread_only = true;
  twingrad::program::Observation other = trial.observed;
  other.values[0].grad.bits[0] ^= 1;
  const auto judged = [&](bool threads) {
    return JudgeDeterminism(trial.program, trial.observed, other, threads, "runs", &trial.expected);
  };
  EXPECT_EQ(judged(true).outcome, Outcome::kSkipped);
  ExpectFinding(judged(false), "determinism");
}

TEST(Determinism, WhatFollowsASurvivedErrorMayDependOnTheTimingOfThreads) {
  Trial trial(kProduct);
  trial.observed.survived = {{twingrad::ErrorKind::kUser, 5, ""}};
  twingrad::program::Observation other = trial.observed;
  other.values[0].grad.bits[0] ^= 1;
  EXPECT_EQ(JudgeDeterminism(trial.program, trial.observed, other, true, "runs").outcome,
            Outcome::kSkipped);
  ExpectFinding(JudgeDeterminism(trial.program, trial.observed, other, false, "runs"),
                "determinism");
  other.survived[0].statement = 3;
  ExpectFinding(JudgeDeterminism(trial.program, trial.observed, other, true, "runs"),
                "determinism");
}

// In sections timing may decide how many nodes a call makes that nobody reads, and so the numbers
// of the others.
TEST(Determinism, OfSectionsTheNumbersOfNodesThatCreateGraphMadeAreNotCompared) {
  for (const bool sections : {false, true}) {
    const std::string product = kProduct;
    Trial trial(sections ? "begin kind=thread\n" + product + "end\n" : product);
    for (auto& node : trial.observed.calls.at(0).nodes) {
      node.name.role = twingrad::program::NodeRole::kBackward;
    }
    twingrad::program::Observation other = trial.observed;
    ++other.calls[0].nodes.at(0).name.index;
    const auto judged = [&] {
      return JudgeDeterminism(trial.program, trial.observed, other, true, "runs", &trial.expected);
    };
    EXPECT_EQ(judged().outcome, sections ? Outcome::kAgree : Outcome::kDisagree);
    ++other.calls[0].nodes[0].name.statement;
    EXPECT_EQ(judged().outcome, Outcome::kDisagree);
  }
}

}  // namespace
}  // namespace twingrad::oracles
