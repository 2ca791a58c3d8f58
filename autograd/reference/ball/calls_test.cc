// Calls: of what, with respect to what, with which seeds.

#include <string>

#include "absl/strings/str_cat.h"
#include "autograd/reference/ball/test_ball.h"

namespace twingrad::reference::ball {
namespace {

constexpr char kX[] = "%x = leaf type=f64[3] data=1,2,3 grad=1\n";

TEST(BallCalls, GradientsOfValuesViewsAndWhatWasWritten) {
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

// Until a written view is used again, it is for the graph to say which contents it retains.
TEST(BallCalls, WhatAWrittenViewRetainsIsNotKnown) {
  const std::string graph = absl::StrCat(kX,
                                         "%y = neg %x\n%v = view %y shape=3\nretain_grad %v\n"
                                         "%z = neg %v\n%s = sum %z\n");
  EXPECT_TRUE(BallRun(absl::StrCat(graph, "backward %s\n")).KnowsGrad("v"));
  EXPECT_FALSE(BallRun(absl::StrCat(graph, "neg_ %v\nbackward %s\n")).KnowsGrad("v"));
  EXPECT_TRUE(BallRun(absl::StrCat(graph, "neg_ %v\nbackward %s\n")).KnowsGrad("x"));
}

TEST(BallCalls, CallsAddUpAndSeedsCount) {
  const BallRun run(absl::StrCat(kX,
                                 "%y = mul %x %x\n%g = leaf type=f64[3] data=1,0,2\n"
                                 "backward %y seeds=%g retain_graph=1\nbackward %y seeds=%g\n"
                                 "%r = read_grad %x\nzero_grad %x\nset_grad %x %g\n"
                                 "%z = sum %x\nbackward %z inputs=%x,%x\n"));
  ExpectNumbers(run.Value("r"), {4, 0, 24}, "r");
  ExpectNumbers(run.Grad("x"), {2, 1, 3}, "x");
}

// The seed of a call with create_graph is differentiated too.
TEST(BallCalls, SeedsHaveDerivatives) {
  const BallRun run(absl::StrCat(kX,
                                 "%w = leaf type=f64[3] data=1,10,100 grad=1\n%y = mul %x %x\n"
                                 "%g = grad %y seeds=%w inputs=%x create_graph=1\n%s = sum %g\n"
                                 "backward %s\n"));
  ExpectNumbers(run.Value("g"), {2, 40, 600}, "g");
  ExpectNumbers(run.Grad("x"), {2, 20, 200}, "x");
  ExpectNumbers(run.Grad("w"), {2, 4, 6}, "w");
}

}  // namespace
}  // namespace twingrad::reference::ball
