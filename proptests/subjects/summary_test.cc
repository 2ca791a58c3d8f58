#include "proptests/subjects/summary.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "autograd/program/parse.h"
#include "autograd/reference/ball/ball_result.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proptests/subjects/number_text.h"

namespace twingrad::subjects {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(NumberTextTest, SeparatesThousands) {
  EXPECT_EQ(WithSeparators(0), "0");
  EXPECT_EQ(WithSeparators(999), "999");
  EXPECT_EQ(WithSeparators(1000), "1,000");
  EXPECT_EQ(WithSeparators(1234567), "1,234,567");
}

TEST(SummaryTest, ShowsCountsAndShares) {
  judge::Statistics s;
  s.programs = 2000;
  s.statements = 24000;
  s.runs = 4000;
  s.nodes_executed = 1234567;
  s.compared.values = 10;
  s.compared.gradients_exact = 300;
  s.compared.gradients_bounded = 90;
  s.compared.gradients_not_compared = 10;
  s.compared.counts_predicted = 50;
  s.compared.counts_recounted = 60;
  s.errors_judged = 7;
  s.twin_judged = 1990;
  s.skipped = 10;
  s.dual_first = 1500;
  s.dual_second = 1100;
  s.dual_kinks = 20;
  s.ball_asked = 100;
  s.ball_refusals[0] = 88;
  s.ball_refusals[static_cast<size_t>(reference::ball::Refusal::kNestedCall)] = 2;
  s.ball_refusals[static_cast<size_t>(reference::ball::Refusal::kSavedTensors)] = 10;
  s.compared.elements_in_balls = 3990;
  s.compared.elements_without_ball = 10;
  const std::string text = SummaryText(s, {});
  EXPECT_THAT(text, HasSubstr("statements     24,000, 12.0 a program\n"));
  EXPECT_THAT(text, HasSubstr("nodes executed 1,234,567 in 4,000 runs of the engine\n"));
  EXPECT_THAT(text, HasSubstr("compared       10 values, 400 gradients, 50 counts predicted, 60 "
                              "recounted, 7 errors\n"));
  EXPECT_THAT(text, HasSubstr("gradients      exact 75.0 %, bounded 22.5 %, not compared 2.5 %\n"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "witnesses      twin 99.5 % of programs, dual numbers 75.0 % to first order, 55.0 % to "
          "second; at a kink 1.0 %, skipped 0.5 %\n"));
  EXPECT_THAT(text, HasSubstr("balls          judged 88.0 % of 100 programs, 1 in 19 without an "
                              "error; of 4,000 elements 0.2 % had no ball or no bound\n"));
  EXPECT_THAT(text,
              HasSubstr("not by balls   10.0 % saved-tensor hooks with do=scale,\n"
                        "               2.0 % a hook or custom function that runs backward\n"));
}

TEST(SummaryTest, ShowsWhatWasJudgedOfStreams) {
  judge::Statistics s;
  EXPECT_THAT(SummaryText(s, {}), Not(HasSubstr("streams ")));
  s.programs = 200;
  s.unordered = 24;
  s.racing = 7;
  s.compared.waits = 1200;
  s.compared.racing = 3;
  s.compared.races = 5;
  EXPECT_THAT(SummaryText(s, {}),
              HasSubstr("streams        1,200 nodes waited for what they take, 0 of them for more; "
                        "12.0 % of programs lack an order, 3.5 % race for certain, in 3 "
                        "statements, all reported, in 5 reports\n"));
  s.compared.needless_waits = 2;
  EXPECT_THAT(SummaryText(s, {}), HasSubstr(", 2 of them for more; "));
}

TEST(SummaryTest, SaysWhatTheTwinLeavesOpen) {
  const program::Program program = *program::Parse(
      "twingrad 1\n%x = leaf type=f64[4] data=1,2,3,4 grad=1\n%y = sum %x\nbackward %y\n");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  reference::TwinResult twin;
  twin.observation.values.resize(2);
  program::ValueRecord& x = twin.observation.values[0];
  x.grad_defined = true;
  x.grad.dtype = DType::kF64;
  x.grad.bits = {std::bit_cast<uint64_t>(1.0), std::bit_cast<uint64_t>(kInfinity),
                 std::bit_cast<uint64_t>(1.0), std::bit_cast<uint64_t>(1.0)};
  twin.grad_bounds = {{{1e-9, kInfinity, kInfinity, 2}}};
  judge::Statistics s;
  s.AddOpen(program, twin);
  const std::string text = SummaryText(s, {});
  EXPECT_THAT(text, HasSubstr("not judged     75.0 % of 4 gradient elements: 25.0 % rest on NaN or "
                              "an infinity,\n"));
  EXPECT_THAT(text, HasSubstr("25.0 % lie where rounding or no rule decides,"));
  EXPECT_THAT(text, HasSubstr("25.0 % have a bound as wide as they are\n"));
  EXPECT_THAT(text, HasSubstr("... > 1 %      leaf 75.0 %, sum 75.0 %, backward 75.0 %\n"));
}

TEST(SummaryTest, SaysWhyTheDualNumbersDidNotJudge) {
  judge::Statistics s;
  s.programs = 200;
  reference::DualResult dual;
  s.AddDual(dual, {});  // it asks for no gradient
  s.AddDual(dual, {{4, 2}, {3, 0}});
  s.AddDual(dual, {{2, 0}, {0, 0}});
  dual.not_applicable = "a seed does not fit";
  s.AddDual(dual, {{2, 2}, {0, 0}});
  s.AddDual(dual, {});
  EXPECT_EQ(s.dual_first, 2u);
  EXPECT_EQ(s.dual_second, 1u);
  EXPECT_THAT(
      SummaryText(s, {}),
      HasSubstr("by dual        37.5 % of 8 gradient elements of first order, 0.0 % of 4 of "
                "second; 0.5 % of programs ask for none: values alone\n"
                "not by dual    1.0 % a seed does not fit, "
                "0.5 % all its gradients hang on what is not followed\n"));
}

// The words of a row, without their numbers.
std::vector<std::string> WordsOf(const std::string& text, const std::string& row) {
  const size_t begin = text.find("\n" + row) + 1 + row.size();
  size_t end = begin;
  do end = text.find('\n', end + 1);
  while (text.compare(end + 1, 1, " ") == 0);
  std::vector<std::string> words;
  for (absl::string_view item : absl::StrSplit(text.substr(begin, end - begin),
                                               absl::ByAnyChar(",\n"), absl::SkipWhitespace())) {
    const std::vector<std::string> parts = absl::StrSplit(item, ' ', absl::SkipWhitespace());
    words.push_back(parts.front());
  }
  return words;
}

// What the summary counts as a feature is what --features takes, all of it, and one word has one
// number.
TEST(SummaryTest, FeaturesAreTheWordsOfTheFlag) {
  const std::string text = SummaryText(judge::Statistics(), {});
  const std::vector<std::string> features = WordsOf(text, "features");
  EXPECT_EQ(features.size(), static_cast<size_t>(generators::kNumFeatures)) << text;
  for (const std::string& word : features) {
    generators::GeneratorOptions options;
    EXPECT_TRUE(generators::SetFeatures(word, &options).ok()) << word;
  }
  const std::vector<std::string> seen = WordsOf(text, "seen in text");
  EXPECT_GT(seen.size(), 5u) << text;
  for (const std::string& word : seen) {
    EXPECT_EQ(std::count(features.begin(), features.end(), word), 0) << word;
  }
}

TEST(SummaryTest, WhatNothingMakesIsNamedOnlyWhereItOccurs) {
  judge::Statistics s;
  EXPECT_THAT(SummaryText(s, {}), testing::Not(HasSubstr("expect")));
  s.opcodes[static_cast<size_t>(program::Opcode::kExpect)] = 3;
  EXPECT_THAT(SummaryText(s, {}), HasSubstr("\nops            expect 3, "));
}

TEST(SummaryTest, ListsEveryFeatureAndOpMostFrequentFirst) {
  judge::Statistics s;
  DrawnFeatures drawn = {};
  s.programs = 1;
  s.opcodes[static_cast<size_t>(program::Opcode::kMul)] = 1500;
  s.opcodes[static_cast<size_t>(program::Opcode::kLeaf)] = 3000;
  s.traits[static_cast<size_t>(judge::Trait::kSeeds)] = 5;
  generators::Features hook;
  hook.set(static_cast<size_t>(generators::Feature::kHook));
  for (int i = 0; i < 4; ++i) drawn.Add(hook);
  const std::string text = SummaryText(s, drawn);
  EXPECT_THAT(text, HasSubstr("\nops            leaf 3,000, mul 1,500, add 0, "));
  EXPECT_THAT(text, HasSubstr("\nfeatures       hook 4, chain 0, "));
  EXPECT_THAT(text, HasSubstr("\nseen in text   seeds 5, retain_grad 0, "));
  EXPECT_THAT(text, HasSubstr("matmul 0"));
  size_t width = 0;
  for (const char c : text) {
    width = c == '\n' ? 0 : width + 1;
    EXPECT_LE(width, 125u) << text;
  }
}

TEST(SummaryTest, ClassesOfTheOpsThatWereMadeThoseJudgedLeastFirst) {
  judge::Statistics s;
  s.programs = 10'000;
  EXPECT_THAT(SummaryText(s, {}),
              HasSubstr("\nclasses        0 of 0 judged 200 times in a million"));
  s.opcodes[static_cast<size_t>(program::Opcode::kDot)] = 7;
  for (int k = 0; k < judge::kNumOpClasses; ++k) {
    const std::string name = judge::OpClassName(k);
    if (name == "dot f64") s.classes[static_cast<size_t>(k)] = 2;
    if (name == "dot f32") s.classes[static_cast<size_t>(k)] = 1;
  }
  const std::string text = SummaryText(s, {});
  EXPECT_THAT(text, HasSubstr("\nclasses        1 of 7 judged 200 times in a million programs; "));
  EXPECT_THAT(text, HasSubstr("dot i32 0, dot f32 1, dot f64 2\n"));
}

TEST(SummaryTest, PairsThatMetLeastComeFirst) {
  constexpr int kPairs = generators::kNumFeatures * (generators::kNumFeatures - 1) / 2;
  DrawnFeatures drawn;
  generators::Features all;
  all.set();
  drawn.Add(all);
  generators::Features but_view = all;
  but_view.reset(static_cast<size_t>(generators::Feature::kView));
  drawn.Add(but_view);
  EXPECT_EQ(drawn.Of(static_cast<int>(generators::Feature::kView)), 1u);
  const std::string text = SummaryText(judge::Statistics(), drawn);
  EXPECT_THAT(text, HasSubstr(absl::StrCat("\npairs          ", kPairs, " of ", kPairs,
                                           " met; the least, chain+view 1, ")));
  // Features that are not drawn cannot meet.
  EXPECT_THAT(SummaryText(judge::Statistics(), {}), HasSubstr("\npairs          0 of 0 met; "));
  DrawnFeatures apart;
  for (const auto feature : {generators::Feature::kView, generators::Feature::kHook}) {
    apart.Add(generators::Features().set(static_cast<size_t>(feature)));
  }
  EXPECT_THAT(SummaryText(judge::Statistics(), apart),
              HasSubstr("\npairs          0 of 1 met; the least, view+hook 0\n"));
  const std::string report = PairsReport(drawn);
  EXPECT_THAT(report, HasSubstr("{\"chain\":{\"chain\":2,\"fan_out\":2,"));
  EXPECT_THAT(report, HasSubstr("\"view\":{\"chain\":1,"));
}

TEST(SummaryTest, NothingJudgedIsNoDivisionByZero) {
  EXPECT_THAT(SummaryText(judge::Statistics(), {}), HasSubstr("exact -, bounded -"));
}

}  // namespace
}  // namespace twingrad::subjects
