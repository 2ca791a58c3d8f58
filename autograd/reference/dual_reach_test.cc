// What is excused, and no more: beside each thing that the dual numbers do not follow, they know
// the rest, and know it as the twin does.

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/program/program.h"
#include "autograd/reference/dual.h"
#include "autograd/reference/test_program.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

// %x goes through what is not followed, %w beside it, %v to where that is written.
constexpr const char* kBothLeaves = R"(%x = leaf type=f64[2] data=2,3 grad=1
%w = leaf type=f64[2] data=5,-1 grad=1
)";

struct Known {
  DualResult dual;
  TwinResult twin;
  program::Program program;

  size_t At(const std::string& name) const {
    for (size_t v = 0; v < program.names.size(); ++v) {
      if (program.names[v] == name) return v;
    }
    ADD_FAILURE() << name;
    return 0;
  }
  static bool Excuses(const DualTensor& tensor, size_t i) {
    return !tensor.known || std::isinf(tensor.BoundOf(i));
  }
  bool ExcusesGrad(const std::string& name, size_t i) const {
    return Excuses(dual.grads[At(name)], i);
  }
  // The number, which is the twin's.
  double Grad(const std::string& name, size_t i) const {
    EXPECT_FALSE(ExcusesGrad(name, i)) << name;
    const double known = dual.grads[At(name)].data[i];
    const auto& record = twin.observation.values[At(name)];
    EXPECT_EQ(record.grad_defined ? Numbers(record.grad)[i] : 0, known) << name;
    return known;
  }
};

Known Witness(const std::string& text) {
  Known known;
  known.program = ParseOrThrow(kBothLeaves + text);
  known.twin = RunTwin(known.program);
  EXPECT_FALSE(known.twin.skipped) << text;
  std::vector<int32_t> failed;
  for (const auto& error : known.twin.observation.survived) failed.push_back(error.statement);
  if (known.twin.observation.error) failed.push_back(known.twin.observation.error->statement);
  known.dual = RunDual(known.program, failed);
  EXPECT_EQ(known.dual.not_applicable, "") << text;
  return known;
}

// Each makes %y of %x, and disturbs what passes from %y to %x.
TEST(DualReach, ADisturbanceReachesWhatLiesUpstreamOfItAlone) {
  for (const std::string disturbed :
       {"%y = custom %x do=nan\n", "%y = mul %x %x\nneg_ %y\npre_hook %y do=scale by=2\n",
        "%y = mul %x %x\nneg_ %y\nhook %y do=undefined\n",
        "%y = mul %x %x\nhook %y id=h do=scale by=2\nhook %x do=remove target=h\n",
        "begin kind=saved_tensor_hooks do=scale by=3\n%y = exp %x\nend\n"}) {
    const Known known = Witness(disturbed + "%p = mul %y %w\n%s = sum %p\nbackward %s\n");
    for (const size_t i : {0, 1}) EXPECT_TRUE(known.ExcusesGrad("x", i)) << disturbed;
    const bool is_exp = disturbed.find("exp") != std::string::npos;
    EXPECT_FALSE(known.ExcusesGrad("w", 0)) << disturbed;
    if (!is_exp) known.Grad("w", 0);
  }
}

TEST(DualReach, OfALeafThoseElementsAreExcusedThatAreReached) {
  const Known known = Witness(
      "%e = select %x dim=0 index=0\n%y = mul %e %e\nbackward %y retain_graph=1\n"
      "hook %y do=scale by=2\n%p = mul %x %x\n%s = sum %p\n%t = add %s %y\nbackward %t\n");
  EXPECT_TRUE(known.ExcusesGrad("x", 0));
  EXPECT_EQ(known.Grad("x", 1), 6);
}

TEST(DualReach, ACallThatDoesNotMeetTheDisturbanceIsFollowed) {
  const Known known = Witness(
      "%y = mul %x %x\n%s = sum %y\nbackward %s retain_graph=1\npost_hook %y do=scale by=2\n"
      "%z = mul %x %w\n%t = sum %z\nbackward %t\n");
  EXPECT_EQ(known.Grad("x", 0), 9);
  EXPECT_EQ(known.Grad("w", 1), 3);
}

TEST(DualReach, LinearHooksAreFollowedToSecondOrder) {
  const Known known = Witness(
      "%y = mul %x %x\nhook %y do=scale by=2\n%c = mul %y %x\npost_hook %c do=scale by=3\n"
      "%s = sum %c\n%g = grad %s inputs=%x create_graph=1\n%t = sum %g\nbackward %t\n");
  EXPECT_EQ(known.dual.order_needed, 2);
  // Of 3 x (2 x^2): the product's second derivatives count once, with both factors.
  EXPECT_EQ(known.Grad("x", 0), Numbers(known.twin.observation.values[0].grad)[0]);
}

// exp's derivative is its result, whose history passes the hook once more.
TEST(DualReach, SecondDerivativesThroughAHookedResultAreExcused) {
  const Known known = Witness(
      "%y = exp %x\nhook %y do=scale by=2\n%z = mul %w %w\n%s = sum %y\n%r = sum %z\n"
      "%g,%h = grad %s %r inputs=%x,%w create_graph=1\n%t = sum %g\n%u = sum %h\n"
      "%i = grad %t inputs=%x\nbackward %u\n");
  EXPECT_TRUE(Known::Excuses(known.dual.values[known.At("i")], 0));
  EXPECT_EQ(known.Grad("w", 0), 2);
}

// The first derivative of a square at 0 is 0, with or without the hook; its second is not.
TEST(DualReach, WhereTheFirstDerivativeIsZeroTheSecondIsExcused) {
  const Known known = Witness(
      "%o = leaf type=f64[] data=0 grad=1\n%q = mul %o %o\n%y = exp %q\nhook %y do=scale by=2\n"
      "%g = grad %y inputs=%o create_graph=1\nbackward %g\n");
  EXPECT_FALSE(Known::Excuses(known.dual.values[known.At("g")], 0));
  EXPECT_TRUE(known.ExcusesGrad("o", 0));
}

TEST(DualReach, ProductsOfScaledSavedTensorsAreFollowed) {
  const Known known = Witness(
      "begin kind=saved_tensor_hooks do=scale by=3\n%y = mul %x %w\n%q = custom %y do=square\nend\n"
      "%s = sum %q\nbackward %s\n");
  EXPECT_EQ(known.Grad("x", 0), 3 * 3 * 2 * 10 * 5);
  EXPECT_EQ(known.Grad("w", 1), 3 * 3 * 2 * -3 * 3);
}

// What is unpacked has the history of what was packed: the scale is no step of it.
TEST(DualReach, ProductsOfScaledSavedTensorsAreFollowedToSecondOrder) {
  const Known known = Witness(
      "begin kind=saved_tensor_hooks do=scale by=3\n%y = mul %x %x\n%q = mul %y %w\nend\n"
      "%s = sum %q\n%g = grad %s inputs=%x create_graph=1\n%t = sum %g\nbackward %t\n");
  EXPECT_EQ(known.dual.order_needed, 2);
  known.Grad("x", 0);
  known.Grad("w", 1);
}

TEST(DualReach, GradientsThatDoNotFitAreZerosOrWhatTheyWere) {
  const Known known = Witness(
      "%y = custom %x do=wrong_shape\n%z = custom %x do=wrong_dtype\n%a = add %y %z\n%s = sum %a\n"
      "backward %s\n");
  EXPECT_EQ(known.Grad("x", 0), 1);
}

TEST(DualReach, WhatAHookRunsAddsToTheLeavesOfItsTargetAlone) {
  for (const std::string adds : {"%t = mul %x %x\n%z = mul %w %w\nhook %z do=backward target=%u\n",
                                 "%t = mul %x %x\n%z = custom %w do=backward target=%u\n"}) {
    const std::string before = "%v = leaf type=f64[2] data=1,1 grad=1\n%u = mul %v %v\n";
    const Known known = Witness(before + adds + "%a = add %t %z\n%s = sum %a\nbackward %s\n");
    EXPECT_TRUE(known.ExcusesGrad("v", 0)) << adds;
    EXPECT_EQ(known.Grad("x", 0), 4) << adds;
    known.Grad("w", 0);
  }
}

// The slope of sgn is 0, and that of a power of a negative number by its exponent no number.
TEST(DualReach, InWhatAHookRunsZerosMayBecomeNan) {
  const Known known = Witness(
      "%n = leaf type=f64[] data=-1 grad=1\n%p = pow %n %n\n%q = sgn %p\n"
      "hook %q do=backward target=%q\n%g = grad %q inputs=%n\n");
  EXPECT_TRUE(known.ExcusesGrad("n", 0));
}

// A gradient of 0 makes .grad undefined too.
TEST(DualReach, WhatAHookRunsMayEmptyGrad) {
  const Known known = Witness(
      "accumulate_hook %x do=zero_grad\nhook %x do=backward target=%x\nhook %x do=scale by=0\n"
      "set_grad %x %x\n%g = grad %x inputs=%x seeds=%w\n%s = sum %w\nbackward %s\n");
  EXPECT_TRUE(known.ExcusesGrad("x", 0));
  EXPECT_EQ(known.Grad("w", 0), 1);
}

// The function passes zeros to what was not differentiated, whose slope is not a number.
TEST(DualReach, OfCallsThatFailZerosMayBecomeNan) {
  const Known known = Witness(
      "%n = leaf type=f64[] data=-1 grad=1\n%e = leaf type=f64[] data=-1 grad=1\n"
      "%p = pow %n %e\n%y = custom %x do=throw\n%a,%b = custom %y %p do=pass\n%s = sum %a\n"
      "begin kind=try\nbackward %s\nend\n");
  EXPECT_TRUE(known.ExcusesGrad("e", 0));
}

// Scaled to 0, what is saved may divide.
TEST(DualReach, OfScaledSavedTensorsZerosMayBecomeNan) {
  const Known known = Witness(
      "%o = leaf type=f64[] data=0 grad=1\nbegin kind=saved_tensor_hooks do=scale by=0\n"
      "%y = mul %o %o\n%c = leaf type=f64[] data=1\n%q = div %y %c\nend\nbackward %q\n");
  const DualTensor& grad = known.dual.grads[known.At("o")];
  EXPECT_TRUE(grad.IsOrNan(0));
  EXPECT_EQ(grad.data, DualNumbers{0});
  EXPECT_EQ(grad.BoundOf(0), 0);
}

TEST(DualReach, AFailedCallMayHaveAddedToWhatItsRootsDependOn) {
  const Known known = Witness(
      "%y = mul %x %x\n%s = sum %y\n%z = mul %w %w\n%t = sum %z\nbackward %t\n"
      "begin kind=try\n%k = custom %s do=throw\nbackward %k\nend\n"
      "%q = mul %w %w\n%r = sum %q\nbackward %r\n");
  EXPECT_EQ(known.twin.observation.survived.size(), 1u);
  EXPECT_TRUE(known.ExcusesGrad("x", 0));
  EXPECT_EQ(known.Grad("w", 0), 20);
}

// That of a variance with respect to what is added to all elements is 0, but for rounding.
TEST(DualReach, AFailedCallMayHaveAddedWhatRoundingLeavesOfZero) {
  const auto bound = [](const std::string& seed) {
    const Known known = Witness(
        "%a = leaf type=f64[] data=0 grad=1\n%t = tanh %x\n%y = add %t %a\n%v = var %y\n"
        "%s = sum %t\nbackward %s\n" +
        seed);
    EXPECT_EQ(known.dual.grads[known.At("a")].data[0], 0);
    return known.dual.grads[known.At("a")].BoundOf(0);
  };
  EXPECT_EQ(bound(""), 0);
  const double once = bound("begin kind=try\nbackward %v\nend\n");
  EXPECT_GT(once, 0);
  EXPECT_LT(once, 1e-12);
  const double large =
      bound("%n = leaf type=f64[] data=-4096\nbegin kind=try\nbackward %v seeds=%n\nend\n");
  EXPECT_NEAR(large / once, 4096, 1e-3);
}

TEST(DualReach, WhatFollowsAnErrorInItsRegionIsNotRun) {
  const Known known = Witness(
      "begin kind=try\nbegin kind=no_grad\nneg_ %x\n%k = grad %w inputs=%x\n"
      "neg_ %w\nend\nneg_ %w\nend\n%y = mul %x %w\n%s = sum %y\nbackward %s\n");
  // The region's end restores grad mode.
  EXPECT_EQ(known.Grad("x", 0), 5);
  EXPECT_EQ(known.Grad("w", 0), -2);
}

TEST(DualReach, BeforeAnErrorAllIsJudged) {
  const Known failed = Witness("%y = mul %x %w\n%s = sum %y\nbackward %s\nneg_ %x\nbackward %s\n");
  EXPECT_EQ(failed.Grad("x", 0), 5);
  const Known call = Witness(
      "%y = mul %x %x\n%s = sum %y\n%t = sum %w\nbackward %t\nbackward %s\n"
      "backward %s\n");
  EXPECT_TRUE(call.ExcusesGrad("x", 0));
  EXPECT_EQ(call.Grad("w", 0), 1);
}

TEST(DualReach, AFailedCallMayAddNaNWhereTheSlopeIsZero) {
  const auto fails = [](const std::string& seed) {
    return Witness(
        "%y = mul %x %x\n%z = sub %y %y\n%s = sum %y\nbackward %s\n%p = mul %z %w\n"
        "%n = leaf type=f64[2] fill=" +
        seed + "\nbackward %p seeds=%n\n");
  };
  EXPECT_TRUE(fails("nan").ExcusesGrad("w", 0));
  EXPECT_TRUE(fails("inf").ExcusesGrad("w", 0));
  EXPECT_FALSE(fails("1").ExcusesGrad("w", 0));
}

TEST(DualReach, AGradientThatIsNotKnownMakesUnknownWhatIsMadeOfIt) {
  const Known known = Witness(
      "%v = slice %x dim=0 stop=1\n%y = mul %v %v\n%s = sum %y\n"
      "%g = grad %s inputs=%v create_graph=1\n%t = sum %g\n%z = mul %w %w\n%u = sum %z\n"
      "backward %t\nbackward %u\n");
  EXPECT_TRUE(known.ExcusesGrad("x", 0));
  EXPECT_EQ(known.Grad("w", 0), 10);
}

}  // namespace
}  // namespace twingrad::reference
