// The warnings that the twin predicts, and custom functions that act.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/reference/test_program.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

std::vector<std::string> WarningsOf(const std::string& text) {
  const TwinRun run(text);
  EXPECT_FALSE(run.result().skipped.has_value());
  std::vector<std::string> texts;
  for (const auto& warning : run.result().observation.warnings) {
    texts.push_back(absl::StrCat(warning.call, " ",
                                 std::string(program::WarningSourceName(warning.source)), " ",
                                 warning.statement, " ", warning.node.statement));
  }
  return texts;
}

constexpr char kSquare[] = "%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\n";

TEST(CallWarnings, FollowTheOrderOfTheHooks) {
  EXPECT_EQ(WarningsOf(absl::StrCat(kSquare,
                                    "accumulate_hook %x do=warn\nhook %x do=warn\n"
                                    "hook %y do=backward target=%x\npost_hook %y do=warn\n"
                                    "backward %y\n")),
            (std::vector<std::string>{"6 hook 3 0", "6 hook 2 0", "6 hook 5 1", "6 hook 3 0",
                                      "6 hook 2 0"}));
}

TEST(CallWarnings, EndWithTheError) {
  EXPECT_EQ(WarningsOf(absl::StrCat(
                kSquare, "hook %y do=warn\nhook %y do=throw\nhook %y do=warn\nbackward %y\n")),
            (std::vector<std::string>{"5 hook 2 1"}));
}

TEST(CallWarnings, OfLayoutsComeOnceAndOnlyForOtherStrides) {
  const auto given = [](const std::string& grad, const std::string& flags = "") {
    return WarningsOf(absl::StrCat(
        "%x = leaf type=f64[2,2] grad=1\n%b = leaf type=f64[2,2]\n%t = transpose %b dims=0,1\n"
        "%r = leaf type=f64[1,2]\n%e = expand %r shape=2,2\nset_grad %x ",
        grad, "\n%s = sum %x\nbackward %s retain_graph=1", flags, "\nbackward %s\n"));
  };
  EXPECT_EQ(given("%t"), (std::vector<std::string>{"7 layout -1 0"}));
  EXPECT_TRUE(given("%b").empty());
  EXPECT_TRUE(given("%e").empty());  // its copy is row-major
  EXPECT_TRUE(given("%t", " create_graph=1").empty());
  EXPECT_TRUE(given("%t\nzero_grad %x").empty());
}

TEST(CallWarnings, CustomFunctionsWarnOnceAndMakeCallsOfTheirOwn) {
  const std::string warned =
      absl::StrCat(kSquare, "%a,%b = custom %y %y do=warn\n%c = mul %a %b\nbackward %c\n");
  EXPECT_EQ(WarningsOf(warned), (std::vector<std::string>{"4 hook 2 2"}));
  const TwinRun nested(
      absl::StrCat(kSquare, "%a = custom %x do=backward target=%y\nbackward %a\n"));
  EXPECT_EQ(nested.Grad("x"), Row({7}));
  ASSERT_EQ(nested.result().observation.calls.size(), 2u);
  EXPECT_EQ(nested.Call(1).outer, 0);
}

TEST(CustomFunctions, KeepUndefinedGradientsAndMarkedResults) {
  const TwinRun kept(
      "%x = leaf type=f64[] data=3 grad=1\n%w = leaf type=f64[] data=4 grad=1\n"
      "%a,%b = custom %x %w do=pass keep_undefined=1\nbackward %b\n");
  EXPECT_FALSE(kept.Record("x").grad_defined);
  EXPECT_EQ(kept.Grad("w"), Row({1}));
  const TwinRun marked(
      "%x = leaf type=f64[] data=3 grad=1\n%a,%b = custom %x %x do=square non_differentiable=1\n"
      "%c = add %a %b\nbackward %c\n");
  EXPECT_FALSE(marked.Record("b").requires_grad);
  EXPECT_EQ(marked.Grad("x"), Row({6}));
}

TEST(CustomFunctions, ThatWriteContinueTheHistoryAndResetGrad) {
  const TwinRun run(
      "%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nretain_grad %y\n"
      "backward %y retain_graph=1\ncustom_ %y do=scale by=2\nbackward %y\n");
  EXPECT_EQ(run.Grad("x"), Row({18}));
  EXPECT_EQ(run.Grad("y"), Row({1}));  // of the second call alone
  EXPECT_EQ(run.Record("y").version, 1u);
  const TwinRun refused("%x = leaf type=f64[] data=0 grad=1\ncustom_ %x do=exp\n");
  EXPECT_EQ(refused.Error(), ErrorKind::kLeafInPlace);
  EXPECT_EQ(refused.Value("x"), Row({1}));
}

}  // namespace
}  // namespace twingrad::reference
