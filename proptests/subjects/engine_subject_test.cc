#include "proptests/subjects/engine_subject.h"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "autograd/engine/engine.h"
#include "autograd/runner/run.h"
#include "autograd/tensor/kernels/processor/loops.h"
#include "gtest/gtest.h"

namespace twingrad::subjects {
namespace {

using absl::StrContains;
using program::Observation;
using program::Program;

constexpr std::string_view kSquare =
    "twingrad 1\n%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbackward %y\n";

// The repository's engine, but each .grad that is 6 is 7.
judge::JudgeOptions WrongEngine() {
  judge::JudgeOptions options;
  options.run = [](const Program& program, int device_threads) {
    EngineOptions engine_options;
    engine_options.device_threads = device_threads;
    Engine engine(engine_options);
    Observation observation = runner::Run(program, engine);
    for (auto& value : observation.values) {
      for (uint64_t& bits : value.grad.bits) {
        if (bits == std::bit_cast<uint64_t>(6.0)) bits = std::bit_cast<uint64_t>(7.0);
      }
    }
    return observation;
  };
  return options;
}

TEST(EngineSubjectTest, AgreesOnARightEngine) {
  const auto subject = MakeEngineSubject();
  ASSERT_TRUE(subject->Configure({}).ok());
  ASSERT_TRUE(subject->Start().ok());
  ASSERT_TRUE(subject->source().Load(kSquare, "here").ok());
  EXPECT_FALSE(subject->judge().Judge().failed);
  EXPECT_TRUE(StrContains(subject->reporter().Summarise(subject->judge().counters(), {}),
                          "statements     3, 3.0 a program"));
  EXPECT_TRUE(StrContains(subject->runner()->Run().text, "%x.grad = f64[] 6"))
      << subject->runner()->Run().text;
}

TEST(EngineSubjectTest, TakesTheKernelsThatItIsToldTo) {
  const auto subject = MakeEngineSubject();
  CaseOptions options;
  options.kernels = "library";
  ASSERT_TRUE(subject->Configure(options).ok());
  EXPECT_EQ(processor::kernels_in_use, processor::Kernels::kLibrary);
  options.kernels = "plain";
  ASSERT_TRUE(subject->Configure(options).ok());
  EXPECT_TRUE(processor::UsesPlain());
  ASSERT_TRUE(subject->Configure({}).ok());
  EXPECT_FALSE(processor::UsesPlain());
}

TEST(EngineSubjectTest, TellsAWrongEngineAndShrinks) {
  const auto subject = MakeEngineSubject(WrongEngine());
  ASSERT_TRUE(subject->Configure({}).ok());
  ASSERT_TRUE(subject->Start().ok());
  const std::string text = absl::StrCat(kSquare, "%z = leaf type=f64[2] data=1,2\n%w = exp %z\n");
  ASSERT_TRUE(subject->source().Load(text, "here").ok());
  const workers::CaseResult result = subject->judge().Judge();
  ASSERT_TRUE(result.failed);
  EXPECT_EQ(result.oracle, "twin");
  EXPECT_TRUE(StrContains(result.expected, "%x.grad = f64[] 6")) << result.expected;
  EXPECT_TRUE(StrContains(result.actual, "%x.grad = f64[] 7")) << result.actual;
  EXPECT_FALSE(result.marked.empty());
  EXPECT_TRUE(StrContains(subject->drawer().Draw(result.marked, true), "color=red"));
  const std::string small = subject->source().Shrink(text, [&](std::string_view program) {
    return subject->source().Load(program, "here").ok() && subject->judge().Judge().failed;
  });
  EXPECT_FALSE(StrContains(small, "exp")) << small;
}

CaseOptions Narrowed(std::vector<std::string> features, std::vector<std::string> ops) {
  CaseOptions options;
  options.features = std::move(features);
  options.ops = std::move(ops);
  return options;
}

TEST(EngineSubjectTest, RefusesUnknownFeaturesAndOps) {
  const auto subject = MakeEngineSubject();
  EXPECT_FALSE(subject->Configure(Narrowed({"nonsense"}, {})).ok());
  const std::string message(subject->Configure(Narrowed({}, {"nonsense"})).message());
  EXPECT_TRUE(
      absl::StartsWith(message, "[oracle] --ops: unknown word 'nonsense' in the list of ops; "))
      << message;
  EXPECT_TRUE(absl::EndsWith(message, "; see `oracle check --help`")) << message;
  EXPECT_TRUE(subject->Configure(Narrowed({"-hook"}, {})).ok());
  EXPECT_TRUE(subject->Configure(Narrowed({"chain", "view"}, {"mul", "sum"})).ok());
}

}  // namespace
}  // namespace twingrad::subjects
