// Random Programs while CUDA fails: whichever call it is, the run ends in a clear error or as if
// nothing had happened, nothing is lost, and the engine then runs the Program as before. Over the
// fake runtime, which can be told to fail.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "autograd/program/observation_text.h"
#include "cuda/fake/control.h"
#include "cuda/programs/there.h"
#include "gtest/gtest.h"
#include "proptests/generators/generate.h"

namespace twingrad::cuda {
namespace {

constexpr int kPrograms = 150;

program::Program RandomProgram(uint64_t seed) {
  generators::GeneratorOptions options;
  EXPECT_TRUE(generators::SetDevice("cuda:3", &options).ok());
  return generators::Generate(seed, options);
}

std::string TextOf(const program::Program& program, const program::Observation& observation) {
  return program::PrintObservation(program, observation);
}

// Whether the Program was told of the failure: by the error that ended the run, or by one that a
// region of kind=try survived.
bool IsTold(const program::Observation& seen, cudaError_t code) {
  std::vector<program::ErrorRecord> errors = seen.survived;
  if (seen.error) errors.push_back(*seen.error);
  return std::any_of(errors.begin(), errors.end(), [&](const program::ErrorRecord& error) {
    return error.error == ErrorKind::kDevice && absl::StrContains(error.message, "[cuda] ") &&
           absl::StrContains(error.message, cudaGetErrorName(code));
  });
}

// Whether two runs show the same: no thread's timing, nor which of several errors comes first.
bool IsSettled(const program::Program& program, const program::Observation& seen) {
  const auto has_threads = [](const program::Statement& statement) {
    return statement.op == program::Opcode::kBegin &&
           statement.Get<std::string>(program::Key::kKind) == "thread";
  };
  return !program::Analyze(program)->racy && !seen.error && seen.survived.empty() &&
         std::none_of(program.statements.begin(), program.statements.end(), has_threads);
}

// Values and errors, but not the order of execution, which with device threads is any.
program::Observation RunForValues(const program::Program& program, int device_threads) {
  return RunOnEngine(program, device_threads, {.record_calls = device_threads == 0});
}

struct Outcome {
  int failed = 0;  // calls
  int errors = 0;  // of which the Program was told
};

// The n-th call of `entry`, for many n, in each of many Programs.
Outcome FailCalls(const std::string& entry, cudaError_t code, int device_threads) {
  Outcome outcome;
  for (uint64_t seed = 1; seed <= kPrograms; ++seed) {
    const program::Program program = RandomProgram(seed);
    const program::Observation before = RunForValues(program, device_threads);
    if (!IsSettled(program, before)) continue;
    const std::string text = TextOf(program, before);
    const int64_t blocks = fake::CountLive().blocks;
    for (int n = 1 + static_cast<int>(seed % 5); n < 200; n = 2 * n + 1) {
      SCOPED_TRACE(testing::Message()
                   << "seed " << seed << ", call " << n << " of '" << entry << "'");
      fake::FailCall(entry, n, code);
      const program::Observation seen = RunForValues(program, device_threads);
      if (!fake::HasFailed()) break;
      ++outcome.failed;
      SCOPED_TRACE(fake::WhatFailed());
      const bool is_told = IsTold(seen, code);
      outcome.errors += is_told ? 1 : 0;
      EXPECT_TRUE(is_told || TextOf(program, seen) == text);
      fake::TakeReports();  // of what the Program no longer ordered
      EXPECT_EQ(TextOf(program, RunForValues(program, device_threads)), text);
      EXPECT_EQ(fake::CountLive().blocks, blocks);
    }
    fake::FailCall("", 0, cudaSuccess);
  }
  return outcome;
}

class ProgramFailuresTest : public ProgramsOnCudaTest,
                            public testing::WithParamInterface<const char*> {};

TEST_P(ProgramFailuresTest, OneCallThatFailsIsAClearErrorAndNothingIsLost) {
  for (const int device_threads : {0, 2}) {
    const Outcome outcome = FailCalls(GetParam(), cudaErrorUnknown, device_threads);
    EXPECT_GT(outcome.failed, 100);
    EXPECT_GT(outcome.errors, outcome.failed / 3);  // the rest are releases, and tried again
  }
}

INSTANTIATE_TEST_SUITE_P(Entries, ProgramFailuresTest,
                         testing::Values("", "cudaMallocAsync", "launch", "cudaMemcpyAsync"));

}  // namespace
}  // namespace twingrad::cuda
