// What statements and calls do to values, series and gradients, each shown by a few lines.

#include <string>

#include "autograd/reference/ball/test_ball.h"

namespace twingrad::reference::ball {
namespace {

constexpr char kX[] = "%x = leaf type=f64[3] data=1,2,3 grad=1\n";

TEST(BallStatements, SeriesTravelWithStorage) {
  // y[1] becomes x[1]², through a view, and z, another view, shows it.
  const BallRun run(absl::StrCat(kX,
                                 "%y = clone %x\n%z = slice %y dim=0 start=1\n"
                                 "%v = select %y dim=0 index=1\nmul_ %v %v\n"
                                 "%s = sum %z\nbackward %s\n"));
  ExpectNumbers(run.Value("y"), {1, 4, 3}, "y");
  ExpectNumbers(run.Value("z"), {4, 3}, "z");
  ExpectNumbers(run.Grad("x"), {0, 4, 1}, "x");
}

TEST(BallStatements, DetachSharesNumbersAndNoSeries) {
  const BallRun run(absl::StrCat(kX,
                                 "%w = leaf type=f64[3] data=5,5,5 grad=1\n%y = clone %x\n"
                                 "%d = detach %y\nadd_ %d %w\n%p = mul %y %w\n%s = sum %p\n"
                                 "backward %s\n"));
  ExpectNumbers(run.Value("y"), {6, 7, 8}, "y");
  ExpectNumbers(run.Grad("x"), {5, 5, 5}, "x");
  ExpectNumbers(run.Grad("w"), {6, 7, 8}, "w");
}

TEST(BallStatements, NoGradDropsSeriesUntilTheStorageIsWritten) {
  const BallRun run(absl::StrCat(
      kX, "%y = clone %x\nbegin kind=no_grad\n%c = mul %y %y\n%v = view %y shape=3\nend\n",
      "%p = mul %c %x\n%q = mul %v %x\n%r = add %p %q\n%s = sum %r\nbackward %s\n",
      "mul_ %y %x\n%t = sum %v\nbackward %t\n"));
  // First c + v, both constants; then v shows y = x * x.
  ExpectNumbers(run.Grad("x"), {1 + 1 + 2, 4 + 2 + 4, 9 + 3 + 6}, "x");
}

TEST(BallStatements, AReshapeOfWhatIsNotContiguousIsACopy) {
  const std::string x = "%x = leaf type=f64[2,2] data=1,2,3,4 grad=1\n%y = clone %x\n";
  const BallRun copy(x +
                     "%t = transpose %y dims=0,1\n%r = reshape %t shape=4\nzero_ %y\n"
                     "%w = leaf type=f64[4] data=1,2,3,4\n%p = mul %r %w\n%s = sum %p\n"
                     "backward %s\n");
  ExpectNumbers(copy.Value("r"), {1, 3, 2, 4}, "r");
  ExpectNumbers(copy.Grad("x"), {1, 3, 2, 4}, "x");
  const BallRun view(x + "%r = reshape %y shape=4\nzero_ %y\n%s = sum %r\nbackward %s\n");
  ExpectNumbers(view.Value("r"), {0, 0, 0, 0}, "r");
  ExpectNumbers(view.Grad("x"), {0, 0, 0, 0}, "x");
}

TEST(BallStatements, GradientsOfValuesViewsAndWhatWasWritten) {
  // Of y after it was written; of v, which y does not hang on.
  const BallRun run(absl::StrCat(kX,
                                 "%y = clone %x\nretain_grad %y\nmul_ %y %y\n"
                                 "%v = slice %y dim=0 stop=1\n%p = mul %v %v\n%q = mul %y %y\n"
                                 "%s = sum %p\n%t = sum %q\n%u = add %s %t\n"
                                 "%gv,%gs = grad %u inputs=%v,%s retain_graph=1\nbackward %u\n"));
  ExpectNumbers(run.Value("gv"), {2}, "gv");
  ExpectNumbers(run.Value("gs"), {1}, "gs");
  ExpectNumbers(run.Grad("x"), {8, 32, 108}, "x");
}

TEST(BallStatements, CallsAddUpAndSeedsCount) {
  const BallRun run(absl::StrCat(kX,
                                 "%y = mul %x %x\n%g = leaf type=f64[3] data=1,0,2\n"
                                 "backward %y seeds=%g retain_graph=1\nbackward %y seeds=%g\n"
                                 "%r = read_grad %x\nzero_grad %x\nset_grad %x %g\n"
                                 "%z = sum %x\nbackward %z inputs=%x,%x\n"));
  ExpectNumbers(run.Value("r"), {4, 0, 24}, "r");
  ExpectNumbers(run.Grad("x"), {2, 1, 3}, "x");
}

// The seed of a call with create_graph is differentiated too.
TEST(BallStatements, SeedsHaveDerivatives) {
  const BallRun run(absl::StrCat(kX,
                                 "%w = leaf type=f64[3] data=1,10,100 grad=1\n%y = mul %x %x\n"
                                 "%g = grad %y seeds=%w inputs=%x create_graph=1\n%s = sum %g\n"
                                 "backward %s\n"));
  ExpectNumbers(run.Value("g"), {2, 40, 600}, "g");
  ExpectNumbers(run.Grad("x"), {2, 20, 200}, "x");
  ExpectNumbers(run.Grad("w"), {2, 4, 6}, "w");
}

TEST(BallStatements, HooksThatScale) {
  const BallRun run(absl::StrCat(kX,
                                 "%y = mul %x %x\nretain_grad %y\nhook %y do=scale by=10\n"
                                 "hook %x do=scale by=3\n%z = mul %y %y\n"
                                 "post_hook %z do=scale by=2\nhook %z do=record\n%s = sum %z\n"
                                 "backward %s\n"));
  ExpectNumbers(run.Grad("y"), {40, 160, 360}, "y");
  ExpectNumbers(run.Grad("x"), {240, 1920, 6480}, "x");
}

TEST(BallStatements, CustomFunctions) {
  const BallRun run(absl::StrCat(kX,
                                 "%a,%b = custom %x %x do=scale by=5 non_differentiable=1\n"
                                 "%c = custom %x do=nan\n%s = sum %a\n%t = sum %b\n"
                                 "backward %s\nbackward %s %c inputs=%x\n"));
  EXPECT_EQ(run.result().refusal, Refusal::kNone);
  for (const Enclosure& ball : run.Grad("x")) EXPECT_FALSE(ball.IsKnown());
  const BallRun scaled(absl::StrCat(
      kX, "%a,%b = custom %x %x do=scale by=5 non_differentiable=1\n%s = sum %a\nbackward %s\n"));
  ExpectNumbers(scaled.Grad("x"), {5, 5, 5}, "x");
}

TEST(BallStatements, CastsToIntegersAndBack) {
  const BallRun run(
      "%x = leaf type=f64[4] data=2.7,-2.7,1e300,0x1p-1074 grad=1\n%i = cast %x to=i64\n"
      "%y = cast %i to=f64\n%b = cast %x to=bool\n%z = cast %b to=f64\n");
  ExpectNumbers(run.Value("y"), {2, -2, 0x1p63, 0}, "y");
  ExpectNumbers(run.Value("z"), {1, 1, 1, 1}, "z");
}

// A run in f64 takes this for 0 or not: no branch that hangs on it is known, and all else is.
TEST(BallStatements, WhatRoundingDecidesIsOpen) {
  const BallRun run(
      "%x = leaf type=f64[2] data=0.1,0.5 grad=1\n%a = leaf type=f64[] data=0.2\n"
      "%b = leaf type=f64[2] data=0x1.3333333333334p-2,0.5\n%y = add %x %a\n%z = sub %y %b\n"
      "%r = relu %z\n%c = cast %z to=bool\n%w = where %c %x %z\n%s = sum %r\nbackward %s\n");
  EXPECT_EQ(run.Grad("x")[0].Distance(0), 0);
  EXPECT_EQ(run.Grad("x")[0].Distance(1), 0);
  ExpectNumbers({run.Grad("x")[1]}, {1}, "x");
  EXPECT_GT(run.Value("w")[0].radius, 1e-3);
}

// f32 overflows at 2^128, and then nothing is known of what follows.
TEST(BallStatements, WhatOverflowsIsNotKnown) {
  const BallRun run(
      "%x = leaf type=f32[2] data=100,2 grad=1\n%y = exp %x\n%o = leaf type=f32[] data=1\n"
      "%z = div %o %y\n");
  EXPECT_FALSE(run.Value("z")[0].IsKnown());
  EXPECT_TRUE(run.Value("z")[1].IsKnown());
}

TEST(BallStatements, WhatItDoesNotJudge) {
  const auto refusal = [](const std::string& text) {
    return BallRun(absl::StrCat(kX, "%y = exp %x\n", text)).result().refusal;
  };
  const std::string call = "%s = sum %y\nbackward %s\n";
  const std::string second = "%d = grad %y seeds=%x inputs=%x create_graph=1\n%e = sum %d\n";
  EXPECT_EQ(refusal(call), Refusal::kNone);
  EXPECT_EQ(refusal("hook %y do=backward target=%y\n" + call), Refusal::kNestedCall);
  EXPECT_EQ(refusal("begin kind=saved_tensor_hooks do=scale by=2\nend\n" + call),
            Refusal::kSavedTensors);
  EXPECT_EQ(refusal("hook %y do=scale by=2\n" + second + "backward %e\n"),
            Refusal::kSecondOrderHook);
  EXPECT_EQ(refusal("pre_hook %x do=scale by=2\n" + call), Refusal::kNodeHook);
  EXPECT_EQ(refusal(call + "hook %x do=scale by=2\n%t = sum %x\nbackward %t\n"),
            Refusal::kLateHook);
  EXPECT_EQ(refusal("hook %x id=h do=scale by=2\nhook %y do=remove target=h\n" + call),
            Refusal::kRemovedHook);
  EXPECT_EQ(refusal("%v = view %y shape=3\nhook %v do=scale by=2\n" + call), Refusal::kSharedHook);
  EXPECT_EQ(refusal(second + "%f = grad %e inputs=%y create_graph=1 allow_unused=1\n"),
            Refusal::kUnknownGradient);
  EXPECT_EQ(refusal(second + "%f = grad %e inputs=%x create_graph=1\n%g = grad %f seeds=%x "
                             "inputs=%x create_graph=1\nbackward %g seeds=%x\n"),
            Refusal::kHighOrder);
  EXPECT_EQ(refusal("%i = leaf type=i64[1] data=7\n%z = index_select %x %i dim=0\n"),
            Refusal::kIndex);
  EXPECT_EQ(refusal("%u = leaf type=f64[1]\n%v = expand %u shape=3\nadd_ %v %y\n"),
            Refusal::kRepeatedWrite);
  EXPECT_EQ(refusal("%u = leaf type=f64[2]\nbackward %y seeds=%u\n"), Refusal::kForm);
  EXPECT_EQ(refusal("%u = leaf type=f64[5000]\n"), Refusal::kTooLarge);
  EXPECT_EQ(RefusalText(Refusal::kTooLarge), "too many elements or derivatives");
}

}  // namespace
}  // namespace twingrad::reference::ball
