// For the tests of oracles: the twin serves as the engine, and tests falsify its Observation.

#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "autograd/program/parse.h"
#include "autograd/reference/twin.h"
#include "gtest/gtest.h"  // IWYU pragma: export
#include "proptests/oracles/evidence.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::oracles {

struct Trial {
  explicit Trial(const std::string& text) {
    auto parsed = twingrad::program::Parse("twingrad 1\n" + text);
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    program = *std::move(parsed);
    expected = twingrad::reference::RunTwin(program);
    EXPECT_FALSE(expected.skipped.has_value()) << *expected.skipped;
    observed = expected.observation;
  }

  Evidence evidence(int device_threads = 0) {
    return {program, expected, observed, device_threads};
  }

  twingrad::program::Program program;
  twingrad::reference::TwinResult expected;
  twingrad::program::Observation observed;
};

inline uint64_t Number(double value) { return std::bit_cast<uint64_t>(value); }

// y = x * w, z = y + x, then backward: x has a dependency count of 2.
inline constexpr char kProduct[] =
    "%x = leaf type=f64[2] data=1,2 grad=1\n"
    "%w = leaf type=f64[2] data=3,4 grad=1\n"
    "%y = mul %x %w\n"
    "%z = add %y %x\n"
    "%s = sum %z\n"
    "backward %s\n";

// A text that a person can take in: 3 to 6 lines.
inline void ExpectFinding(const Verdict& verdict, std::string_view oracle) {
  EXPECT_EQ(verdict.outcome, Outcome::kDisagree);
  EXPECT_EQ(verdict.oracle, oracle);
  int lines = 0;
  for (char c : verdict.text) lines += c == '\n' ? 1 : 0;
  EXPECT_GE(lines, 3) << verdict.text;
  EXPECT_LE(lines, 6) << verdict.text;
  EXPECT_EQ(verdict.text.back(), '\n');
}

// Expects that the oracle finds what is falsified in what the twin shows of the Program.
using Falsification = std::function<void(program::Observation&)>;
inline void ExpectFound(Verdict (*judge)(const Evidence&), std::string_view oracle,
                        const Falsification& falsify, int device_threads = 0,
                        const char* text = kProduct) {
  Trial trial(text);
  falsify(trial.observed);
  ExpectFinding(judge(trial.evidence(device_threads)), oracle);
}

inline void ExpectAgreement(const Verdict& verdict) {
  EXPECT_EQ(verdict.outcome, Outcome::kAgree) << verdict.text;
}

}  // namespace twingrad::oracles
