// Shares are counted, and those of the Programs that generators make by default are as large, and
// those that the twin skips as small, as the campaign needs: nothing is rare, and nothing escapes.

#include "proptests/judge/shares.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "autograd/program/parse.h"
#include "autograd/program/signature.h"
#include "autograd/reference/twin.h"
#include "proptests/generators/generate.h"

namespace twingrad::judge {
namespace {

int KindOf(std::string_view name) {
  int kind = 0;
  while (kind < kNumKinds && KindName(kind) != name) ++kind;
  return kind;
}

TEST(SharesTest, AreOfProgramsThatHoldTheKind) {
  Shares shares;
  const auto count = [&](const std::string& lines, const std::optional<std::string>& skipped) {
    shares.Count(*program::Parse("twingrad 1\n%x = leaf type=f64[]\n" + lines), skipped);
  };
  count("%y = neg %x\n%z = neg %y\n", std::nullopt);
  count("%y = neg %x\n", "too hard");
  count("%y = neg %x\n", "too hard");
  count("%y = neg %x\n", "too easy");
  count("", std::nullopt);
  EXPECT_DOUBLE_EQ(shares.OfPrograms(KindOf("neg")), 0.8);
  EXPECT_DOUBLE_EQ(shares.SkippedOf(KindOf("neg")), 0.75);
  EXPECT_DOUBLE_EQ(shares.Skipped(), 0.6);
  EXPECT_DOUBLE_EQ(shares.SkippedOf(KindOf("mul")), 0);
  EXPECT_EQ(shares.ReasonsText(KindOf("neg")), "  50.00 % too hard\n  25.00 % too easy\n");
  EXPECT_EQ(shares.ReasonsText(), "  40.00 % too hard\n  20.00 % too easy\n");
}

constexpr uint64_t kPrograms = 60'000;
constexpr double kLeastShare = 0.02;
// Ops are many, and one Program in fifty for each would leave no room for the rest. A campaign of
// 100,000 Programs still holds each 550 times, and 400 times those whose results are rounded.
constexpr double kLeastShareOfOps = 0.0055;
constexpr double kLeastShareOfRounding = 0.004;
constexpr double kMostSkipped = 0.01;

double LeastShareOf(int kind) {
  const auto op = program::OpcodeFromName(KindName(kind));
  if (!op || !program::IsComputed(program::SignatureOf(*op).category)) return kLeastShare;
  const bool rounds = program::Rounds(program::SignatureOf(*op).facts.numbers);
  return rounds ? kLeastShareOfRounding : kLeastShareOfOps;
}

// Law: of default Programs each kind stands in 2 % at least, an op in 0.55 % or, where it rounds,
// 0.4 %; the twin skips 1 % at most, also of those in which a kind stands. The seeds are fixed.
TEST(SharesTest, OfDefaultProgramsNoKindIsRareOrSkipped) {
  Shares shares;
  for (uint64_t seed = 1; seed <= kPrograms; ++seed) {
    const program::Program program = generators::Generate(seed);
    shares.Count(program, reference::RunTwin(program).skipped);
  }
  EXPECT_LE(shares.Skipped(), kMostSkipped) << shares.ReasonsText();
  for (int kind = 0; kind < kNumKinds; ++kind) {
    if (!IsGenerated(kind)) continue;
    EXPECT_GE(shares.OfPrograms(kind), LeastShareOf(kind))
        << KindName(kind) << " is rare; raise what draws it in proptests/generators";
    EXPECT_LE(shares.SkippedOf(kind), kMostSkipped) << KindName(kind) << " is skipped because of\n"
                                                    << shares.ReasonsText(kind);
  }
}

}  // namespace
}  // namespace twingrad::judge
