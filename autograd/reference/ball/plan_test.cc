// What hooks do to gradients, and what the witness does not judge.

#include <string>

#include "absl/strings/str_cat.h"
#include "autograd/reference/ball/test_ball.h"

namespace twingrad::reference::ball {
namespace {

TEST(BallPlan, HooksThatScale) {
  const BallRun run(absl::StrCat(kX,
                                 "%y = mul %x %x\nretain_grad %y\nhook %y do=scale by=10\n"
                                 "hook %x do=scale by=3\n%z = mul %y %y\n"
                                 "post_hook %z do=scale by=2\nhook %z do=record\n%s = sum %z\n"
                                 "backward %s\n"));
  ExpectNumbers(run.Grad("y"), {40, 160, 360}, "y");
  ExpectNumbers(run.Grad("x"), {240, 1920, 6480}, "x");
}

// Whether such a hook fires hangs on which nodes run.
TEST(BallPlan, AGradThatAHookMakesUndefinedIsNotKnown) {
  const std::string begin = absl::StrCat(kX, "accumulate_hook %x do=zero_grad\n%s = sum %x\n");
  EXPECT_FALSE(BallRun(begin + "backward %s\n").result().grads[0].known);
  EXPECT_TRUE(BallRun(begin + "%g = grad %s inputs=%x\n").result().grads[0].known);
  const BallRun after(begin + "backward %s\nzero_grad %x\n");
  ExpectNumbers(after.Grad("x"), {0, 0, 0}, "x");
}

TEST(BallPlan, WhatItDoesNotJudge) {
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
