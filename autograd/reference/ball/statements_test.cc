// What statements and calls do to values, series and gradients, each shown by a few lines.

#include <string>

#include "absl/strings/str_cat.h"
#include "autograd/reference/ball/test_ball.h"

namespace twingrad::reference::ball {
namespace {

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

TEST(BallStatements, IndicesAreASecondResult) {
  const BallRun run(absl::StrCat(kX,
                                 "%w = leaf type=f64[3] data=5,6,7 grad=1\n"
                                 "%v,%i = sort %x dim=0 descending=1\n%g = gather %w %i dim=0\n"
                                 "%p = mul %v %g\n%s = sum %p\npre_hook %v do=scale by=2\n"
                                 "backward %s\n"));
  ExpectNumbers(run.Value("v"), {3, 2, 1}, "v");
  ExpectNumbers(run.Value("g"), {7, 6, 5}, "g");
  ExpectNumbers(run.Grad("x"), {10, 12, 14}, "x");
  ExpectNumbers(run.Grad("w"), {1, 2, 3}, "w");
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

// The run ends there, so there is nothing to say.
TEST(BallStatements, AViewOfWhatIsNotContiguousIsRefused) {
  const std::string x = "%x = leaf type=f64[] data=1\n%y = as_strided %x shape=2 stride=0\n";
  EXPECT_EQ(BallRun(x + "%v = view %y shape=1,2\n%z = sub %v %v\n").result().refusal,
            Refusal::kForm);
  EXPECT_EQ(BallRun(x + "%v = as_strided %y shape=1 stride=1 start=1\n").result().refusal,
            Refusal::kForm);
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

TEST(BallStatements, ShortIntegersWrapAndSaturate) {
  const BallRun run(
      "%x = leaf type=f64[4] data=2147483647.5,-3e9,1e300,-7.5\n%i = cast %x to=i32\n"
      "%n = neg %i\n%s = sum %i\n%t = cast %s to=f64\n%y = cast %n to=f64\n"
      "%l = leaf type=i64[2] data=4294967297,3000000000\n%c = cast %l to=i32\n"
      "%z = cast %c to=f64\n%p = mul %c %c\n%q = cast %p to=f64\n");
  ExpectNumbers(run.Value("y"), {-2147483647, -2147483648, -2147483647, 7}, "y");
  ExpectNumbers(run.Value("t"), {2147483639}, "t");
  ExpectNumbers(run.Value("z"), {1, -1294967296}, "z");
  ExpectNumbers(run.Value("q"), {1, -494665728}, "q");
}

// What f16 holds is exact, also at its ends; what leaves it is not known from there on.
TEST(BallStatements, HalvesEndAt65504) {
  const BallRun run(
      "%x = leaf type=f16[3] data=181,256,0x1p-12 grad=1\n%y = mul %x %x\n"
      "%h = leaf type=f16[] data=0x1p-1\n%z = mul %y %h\n%i = cast %z to=i64\n"
      "%w = cast %i to=f64\n");
  EXPECT_FALSE(run.Value("z")[1].IsKnown());
  EXPECT_TRUE(run.Value("z")[0].IsKnown());
  EXPECT_EQ(run.Value("y")[2].nearest, 0x1p-24);
  EXPECT_FALSE(run.Value("w")[0].IsKnown());  // 16380.5 lies between two numbers of f16
  EXPECT_EQ(run.Value("w")[2].nearest, 0);
}

// f32 overflows at 2^128, and then nothing is known of what follows.
TEST(BallStatements, WhatOverflowsIsNotKnown) {
  const BallRun run(
      "%x = leaf type=f32[2] data=100,2 grad=1\n%y = exp %x\n%o = leaf type=f32[] data=1\n"
      "%z = div %o %y\n");
  EXPECT_FALSE(run.Value("z")[0].IsKnown());
  EXPECT_TRUE(run.Value("z")[1].IsKnown());
}

}  // namespace
}  // namespace twingrad::reference::ball
