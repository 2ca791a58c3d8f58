// The dual witness against the twin, on Programs that cover every statement, and by hand.

#include "autograd/reference/dual.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/program/program.h"
#include "autograd/program/random_program.h"
#include "autograd/reference/dual_plan.h"
#include "autograd/reference/dual_reasons.h"
#include "autograd/reference/test_program.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

// How many numbers of two records were compared; every one must lie within both bounds.
int Compare(const program::TensorData& data, const Judged& judged, const DualTensor& dual,
            const std::string& what) {
  if (!dual.known || !IsFloating(data.dtype)) return 0;
  const Row numbers = Numbers(data);
  EXPECT_EQ(numbers.size(), dual.data.size()) << what;
  int compared = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (!std::isfinite(numbers[i]) || std::isinf(judged.Of(i)) || std::isinf(dual.BoundOf(i))) {
      continue;
    }
    ++compared;
    EXPECT_LE(std::fabs(numbers[i] - dual.data[i]), judged.Of(i) + dual.BoundOf(i))
        << what << "[" << i << "]: twin " << numbers[i] << ", dual " << dual.data[i];
  }
  return compared;
}

struct Agreement {
  DualResult dual;
  int compared = 0;
};

Agreement Agree(const std::string& text) {
  const TwinRun twin(text);
  EXPECT_FALSE(twin.result().observation.error.has_value()) << text;
  Agreement agreement{RunDual(twin.program()), 0};
  if (!agreement.dual.not_applicable.empty()) return agreement;
  for (size_t v = 0; v < twin.program().names.size(); ++v) {
    const auto& record = twin.result().observation.values[v];
    if (!record.defined) continue;
    const std::string& name = twin.program().names[v];
    agreement.compared +=
        Compare(record.data, twin.result().value_bounds[v], agreement.dual.values[v], name);
    if (!record.grad_defined) continue;
    agreement.compared +=
        Compare(record.grad, twin.result().grad_bounds[v], agreement.dual.grads[v], name + ".grad");
  }
  return agreement;
}

constexpr const char* kLeaves = R"(%x = leaf type=f64[2,3] data=1,-2,0.5,3,0.25,-1 grad=1
%w = leaf type=f64[3] data=2,0.5,1.5 grad=1
%p = leaf type=f64[2,3] data=1,2,0.5,3,0.25,1 grad=1
)";

// One statement of %y at a time, then first and second derivatives.
TEST(DualTest, AgreesWithTheTwinOnEveryStatement) {
  for (const char* statement : {"%y = add %x %w",
                                "%y = sub %x %w",
                                "%y = mul %x %w",
                                "%y = div %x %w",
                                "%y = pow %p %w",
                                "%y = maximum %x %w",
                                "%y = neg %x",
                                "%y = exp %x",
                                "%y = log %p",
                                "%y = sqrt %p",
                                "%y = sin %x",
                                "%y = cos %x",
                                "%y = tanh %x",
                                "%y = sigmoid %x",
                                "%y = relu %x",
                                "%y = abs %x",
                                "%c = cast %x to=bool\n%y = where %c %x %w",
                                "%y = sum %x dims=1",
                                "%y = mean %x dims=0 keepdim=1",
                                "%y = matmul %x %w",
                                "%y = view %x shape=3,2",
                                "%t = transpose %x dims=0,1\n%y = reshape %t shape=6",
                                "%y = permute %x dims=1,0",
                                "%u = unsqueeze %x dim=1\n%y = expand %u shape=2,2,3",
                                "%y = select %x dim=1 index=2",
                                "%y = slice %x dim=1 start=1",
                                "%u = unsqueeze %x dim=0\n%y = squeeze %u",
                                "%y = clone %x",
                                "%v,%i = sort %x dim=1\n%k = gather %p %i dim=1\n%y = mul %v %k",
                                "%v,%i = max %x dim=0\n%u = unsqueeze %i dim=0\n"
                                "%k = gather %x %u dim=0\n%y = mul %v %k",
                                "%d = detach %x\n%y = mul %d %x",
                                "%f = cast %x to=f32\n%q = mul %f %f\n%y = cast %q to=f64",
                                "%a = to %x device=dev:0\n%b = exp %a\n%y = to %b device=cpu"}) {
    const std::string text = std::string(kLeaves) + statement + R"(
%z = sin %y
%sum = sum %z
%all = sum %x
%s = mul %sum %all
backward %s create_graph=1
%g = read_grad %x
%h = mul %g %g
%t2 = sum %h
backward %t2 inputs=%x
)";
    const Agreement agreement = Agree(text);
    EXPECT_EQ(agreement.dual.not_applicable, "") << statement;
    EXPECT_EQ(agreement.dual.order_judged, 2) << statement;
    EXPECT_GE(agreement.compared, 20) << statement;
  }
}

TEST(DualTest, AgreesOnWritesInPlace) {
  for (const char* statement :
       {"add_ %y %w",
        "sub_ %y %w",
        "mul_ %y %w",
        "div_ %y %w",
        "neg_ %y",
        "exp_ %y",
        "sin_ %y",
        "cos_ %y",
        "tanh_ %y",
        "sigmoid_ %y",
        "relu_ %y",
        "abs_ %y",
        "copy_ %y %w",
        "zero_ %y",
        "%v = select %y dim=0 index=1\nmul_ %v %w",
        "%v = select %y dim=1 index=1\nexp_ %v",
        "%v = slice %y dim=1 start=1\n%v2 = select %v dim=0 index=0\nsin_ %v2",
        "%v = select %y dim=0 index=0\ncopy_ %v %w\n%q = mul %v %v\nsin_ %y",
        "begin kind=no_grad\nneg_ %y\nend",
        "custom_ %y do=pass",
        "custom_ %y do=exp",
        "custom_ %y do=scale by=3",
        "%v = select %y dim=1 index=1\ncustom_ %v do=exp",
        "%v = select %y dim=0 index=0\ncustom_ %v do=undefined",
        "begin kind=no_grad\ncustom_ %y do=exp\nend"}) {
    const Agreement agreement = Agree(std::string(kLeaves) + "%y = mul %x %p\n" + statement + R"(
%z = mul %y %y
%sum = sum %z
%all = sum %x
%s = mul %sum %all
backward %s create_graph=1
%g = read_grad %x
%t2 = sum %g
backward %t2
)");
    EXPECT_EQ(agreement.dual.order_judged, 2) << statement;
    EXPECT_GE(agreement.compared, 30) << statement;
  }
}

TEST(DualTest, CallsAddUp) {
  const Agreement agreement = Agree(std::string(kLeaves) + R"(%y = mul %x %w
%s = sum %y
%m = mean %x
backward %s %m %s seeds=_,_,_ retain_graph=1
backward %s inputs=%w retain_graph=1
%gy,%gw = grad %s inputs=%y,%w materialize=1
)");
  EXPECT_EQ(agreement.dual.order_judged, 1);
  EXPECT_GE(agreement.compared, 30);
}

TEST(DualTest, LinearHooksScale) {
  const Agreement agreement = Agree(std::string(kLeaves) + R"(%y = mul %x %w
hook %y do=scale by=3
hook %w do=scale by=-2
retain_grad %y
%z = sin %y
%s = sum %z
backward %s
)");
  EXPECT_EQ(agreement.dual.order_judged, 1);
  EXPECT_TRUE(agreement.dual.grads[3].known);
  EXPECT_GE(agreement.compared, 30);
}

TEST(DualTest, GradientsOfIntermediateValues) {
  const Agreement agreement = Agree(std::string(kLeaves) + R"(%y = mul %x %w
%z = mul %y %y
%s = sum %z
%gy = grad %s inputs=%y create_graph=1
%t = sum %gy
%hx,%hy = grad %t inputs=%x,%y
)");
  EXPECT_EQ(agreement.dual.order_judged, 2);
  EXPECT_GE(agreement.compared, 40);
}

TEST(DualTest, KinksAreTold) {
  const auto kinks = [](const std::string& text) { return Agree(text).dual.kinks; };
  const std::string calls = "\n%s = sum %y\nbackward %s\n";
  EXPECT_EQ(kinks("%x = leaf type=f64[2] data=0,1 grad=1\n%y = relu %x" + calls),
            (std::vector<KinkPoint>{{Kink::kRelu, 1, 2}}));
  EXPECT_TRUE(kinks("%x = leaf type=f64[2] data=2,1 grad=1\n%y = relu %x" + calls).empty());
  EXPECT_EQ(kinks("%x = leaf type=f64[2] data=2,1 grad=1\n%y = maximum %x %x" + calls).size(), 2);
  // What no gradient passes is none.
  EXPECT_TRUE(kinks("%x = leaf type=f64[2] data=0,1\n%z = leaf type=f64[2] grad=1\n%r = relu %x\n"
                    "%y = mul %r %z" +
                    calls)
                  .empty());
}

TEST(DualTest, KinksAreToldWhereThirdDerivativesAreNotJudged) {
  const std::string calls =
      "%y = relu %x\n%s = sum %y\n%g = grad %s inputs=%x create_graph=1\n%t = sum %g\n"
      "%h = grad %t inputs=%x create_graph=1\n%u = sum %h\nbackward %u\n";
  const auto kinks = [&](const std::string& leaf) {
    const program::Program program = ParseOrThrow(leaf + calls);
    EXPECT_EQ(RunDual(program).not_applicable, "derivatives of third or higher order");
    return KinksOf(program).size();
  };
  EXPECT_EQ(kinks("%x = leaf type=f64[2] data=0,1 grad=1\n"), 1);
  EXPECT_EQ(kinks("%x = leaf type=f64[2] data=2,1 grad=1\n"), 0);
}

TEST(DualTest, SaysWhatItCannotJudge) {
  EXPECT_NE(RunDual(ParseOrThrow(R"(%x = leaf type=f64[4096] seed=1 grad=1
%y = mul %x %x
%s = sum %y
backward %s
)"))
                .not_applicable,
            "");
}

// Of integers it is of integers: read as an array of floats, it had no elements to pick by.
TEST(DualTest, AnAbsentGradientKeepsTheElementType) {
  EXPECT_EQ(RunDual(ParseOrThrow(R"(%x = leaf type=f64[2] data=1,2
%i = leaf type=i64[1] data=1
%g = read_grad %i
%y = gather %x %g dim=0
)"))
                .not_applicable,
            "");
}

// Programs that no generator of the oracle would make: gradients of indices, sums into them.
TEST(DualTest, AnyValidProgramIsJudgedOrRefusedWithAReason) {
  for (uint64_t seed = 0; seed < 6000; ++seed) {
    const program::Program program = program::RandomProgram(seed, 5 + static_cast<int>(seed % 25));
    const DualResult result = RunDual(program);
    EXPECT_EQ(result.order_judged, result.not_applicable.empty() ? result.order_needed : 0)
        << "seed " << seed << ": " << result.not_applicable;
    EXPECT_TRUE(result.not_applicable.empty() ||
                DualReason(result.not_applicable) < kNumDualReasons)
        << result.not_applicable;
  }
}

// A copy is not taken for a view where only the write goes through a detached value.
TEST(DualTest, AWriteToWhatAReshapeCopiedIsNotJudged) {
  const std::string copies =
      "%x = leaf type=f64[] data=1\n%e = expand %x shape=2,3\n%r = reshape %e shape=6\n";
  EXPECT_NE(RunDual(ParseOrThrow(copies + "%d = detach %r\nneg_ %d\n")).not_applicable, "");
  EXPECT_EQ(RunDual(ParseOrThrow(copies)).not_applicable, "");
}

// Backward meets such a slope with a cotangent of 0, and 0 times no number is no number.
TEST(DualTest, BehindASlopeThatIsNoNumberIsZeroOrNan) {
  for (const std::string leaf_and_op :
       {"data=0,4 grad=1\n%y = sqrt %x", "data=0,4 grad=1\n%y = log %x",
        "data=-1,4 grad=1\n%y = sqrt %x", "data=inf,4 grad=1\n%y = cos %x",
        "data=0,4 grad=1\n%c = leaf type=f64[2] data=inf,1 grad=0\n%y = mul %x %c",
        "data=0,4 grad=1\n%c = leaf type=f64[] data=1 grad=0\n%y = div %c %x"}) {
    const Agreement agreement = Agree("%x = leaf type=f64[2] " + leaf_and_op +
                                      "\n%z = slice %y dim=0 start=1\nbackward %z");
    const reference::DualTensor& grad = agreement.dual.grads[0];
    EXPECT_TRUE(grad.IsOrNan(0)) << leaf_and_op;
    EXPECT_EQ(grad.data[0], 0) << leaf_and_op;
    // The other element has no part in it.
    EXPECT_FALSE(grad.IsOrNan(1)) << leaf_and_op;
    EXPECT_TRUE(std::isfinite(grad.BoundOf(1))) << leaf_and_op;
  }
}

// The terms of the second factor are -M and 1.5 M, of the largest number M.
TEST(DualTest, NothingIsKnownOfSlopesThatOverflow) {
  const DualResult dual =
      RunDual(ParseOrThrow(R"(%x = leaf type=f64[3] data=-0x1.fffffffffffffp1023,20,-1.5 grad=1
%y = cumprod %x dim=0
%s = sum %y
backward %s
)"));
  EXPECT_TRUE(std::isinf(dual.grads[0].BoundOf(1)));
}

TEST(DualTest, TheGradientOfAViewIsNotKnown) {
  const Agreement agreement = Agree(R"(%x = leaf type=f64[2] data=2,1 grad=1
%v = select %x dim=0 index=0
%y = mul %v %v
%g = grad %y inputs=%v
)");
  EXPECT_TRUE(std::isinf(agreement.dual.values[3].BoundOf(0)));
}

// What the plan knows before the run.
DualPlan Plan(const std::string& text) { return PlanDual(ParseOrThrow(text), {}); }

constexpr const char* kSquare = R"(%x = leaf type=f64[] data=3 grad=1
%y = mul %x %x
)";

// Numbers whose difference leaves the format are not equal.
TEST(DualTest, ExtremesFarApartAreNoTie) {
  const DualResult dual = RunDual(ParseOrThrow(
      "%x = leaf type=f64[2] data=0x1.fp1023,-0x1.fp1023 grad=1\n%y = amax %x\nbackward %y\n"));
  EXPECT_TRUE(dual.kinks.empty());
  EXPECT_EQ(dual.grads[0].data, (DualNumbers{1, 0}));
}

// The extreme of a group in which one is no number has no slope, that of a single element neither.
TEST(DualTest, ExtremesThatAreNoNumberHaveNoSlope) {
  for (const char* data : {"[] data=nan", "[2] data=nan,1"}) {
    const DualResult dual = RunDual(ParseOrThrow("%x = leaf type=f64" + std::string(data) +
                                                 " grad=1\n%y = amin %x\nbackward %y\n"));
    const reference::DualTensor& grad = dual.grads[0];
    for (size_t i = 0; i < grad.data.size(); ++i) EXPECT_TRUE(std::isinf(grad.BoundOf(i))) << data;
  }
}

TEST(DualPlanTest, OrdersNeeded) {
  EXPECT_EQ(Plan(kSquare).order, 0);
  EXPECT_EQ(Plan(std::string(kSquare) + "backward %y\n").order, 1);
  // Made with a graph that nobody uses.
  EXPECT_EQ(Plan(std::string(kSquare) + "backward %y create_graph=1\n").order, 1);
  const std::string second = std::string(kSquare) + R"(%g = grad %y inputs=%x create_graph=1
%h = mul %g %g
%t = grad %h inputs=%x create_graph=1
)";
  EXPECT_EQ(Plan(second).order, 2);
  EXPECT_EQ(Plan(second).not_applicable, "");
  EXPECT_NE(Plan(second + "%u = grad %t inputs=%x\n").not_applicable, "");
  EXPECT_EQ(Plan(std::string(kSquare) + R"(backward %y create_graph=1
%g = read_grad %x
backward %g
)")
                .order,
            2);
}

TEST(DualPlanTest, HooksScale) {
  const std::string hooked = std::string(kSquare) + R"(hook %y do=scale by=2
hook %y do=scale by=5
backward %y
)";
  EXPECT_EQ(Plan(hooked).values[1].scale, 10);
  EXPECT_EQ(Plan(hooked).not_applicable, "");
  const auto disturbance = [](const std::string& text) {
    const DualPlan plan = Plan(std::string(kSquare) + text);
    EXPECT_EQ(plan.not_applicable, "");
    EXPECT_EQ(plan.values[1].scale, 1);
    Disturbance found = Disturbance::kNone;
    for (const StatementPlan& statement : plan.statements) {
      found = std::max(found, statement.disturbance);
    }
    return found;
  };
  EXPECT_EQ(disturbance("backward %y retain_graph=1\nhook %y do=scale by=2\nbackward %y\n"),
            Disturbance::kChanges);
  EXPECT_EQ(disturbance("hook %y id=h do=scale by=2\nremove_hook id=h\nbackward %y\n"),
            Disturbance::kNone);
  EXPECT_EQ(disturbance("hook %y do=scale by=2\nneg_ %y\nbackward %y\n"), Disturbance::kChanges);
  EXPECT_EQ(disturbance("hook %y id=h do=scale by=2\nhook %x do=remove target=h\nbackward %y\n"),
            Disturbance::kChanges);
  // No call that runs it returns.
  EXPECT_EQ(disturbance("hook %y do=throw\nbackward %y\n"), Disturbance::kNone);
}

// What is left is what no call has added to: 3 was there before, and %u has no path to %x.
TEST(DualTest, HooksMakeGradUndefinedAfterEachAddition) {
  const std::string start = std::string(kSquare) + "backward %y retain_graph=1\n";
  const std::string empties = "accumulate_hook %x id=z do=zero_grad\n";
  const auto grad = [](const std::string& text) {
    const Agreement agreement = Agree(text);
    EXPECT_EQ(agreement.dual.not_applicable, "") << text;
    return agreement.dual.grads[0];
  };
  EXPECT_EQ(grad(start + empties).data, DualNumbers{6});
  EXPECT_EQ(grad(start + empties + "backward %y retain_graph=1\nbackward %y\n").data,
            DualNumbers{0});
  EXPECT_EQ(
      grad(start + empties + "backward %y retain_graph=1\nremove_hook id=z\nbackward %y\n").data,
      DualNumbers{6});
  // A gradient of 0 may be undefined: then nothing is done.
  const std::string zero = "%n = leaf type=f64[] data=0\n%u = mul %y %n\nbackward %u\n";
  EXPECT_FALSE(grad(start + empties + zero).known);
  EXPECT_EQ(grad(std::string(kSquare) + empties + zero).data, DualNumbers{0});
  EXPECT_EQ(grad(start + empties + zero + "backward %x\n").data, DualNumbers{0});
}

// 0 and -0 are one number: an engine's infinity may have either sign, and what is made of it is
// not known.
TEST(DualTest, OfAnInfiniteGradientTheSignIsOpen) {
  const DualResult dual = RunDual(ParseOrThrow(R"(%x = leaf type=f64[] data=-0 grad=1
%y = sqrt %x
backward %y
%g = read_grad %x
%z = relu %g
)"));
  ASSERT_TRUE(dual.grads[0].known);
  EXPECT_TRUE(std::isinf(dual.grads[0].data[0]));
  EXPECT_EQ(dual.grads[0].BoundOf(0), 0);
  EXPECT_EQ(dual.values[2].BoundOf(0), 0);
  EXPECT_TRUE(std::isinf(dual.values[3].BoundOf(0)));
}

TEST(DualPlanTest, RefusesHooksThatEmptyGradAtAMomentThatOthersDecide) {
  const std::string empties = "accumulate_hook %x id=z do=zero_grad\n";
  const std::string perhaps = kSquare + empties + "hook %y do=remove target=z\nbackward %y\n";
  EXPECT_FALSE(RunDual(ParseOrThrow(perhaps)).grads[0].known);
  const std::string begin = std::string(kSquare) + "begin kind=thread\n";
  EXPECT_NE(Plan(begin + empties + "end\n").not_applicable, "");
  EXPECT_NE(Plan(kSquare + empties + "begin kind=thread\nremove_hook id=z\nend\n").not_applicable,
            "");
  EXPECT_EQ(Plan(begin + "end\n" + empties).not_applicable, "");
}

TEST(DualPlanTest, FamiliesOfViews) {
  const DualPlan plan = Plan(R"(%x = leaf type=f64[2,2] grad=1
%y = clone %x
%v = select %y dim=0 index=0
%w = select %v dim=0 index=0
%d = detach %v
neg_ %w
retain_grad %y
)");
  EXPECT_EQ(plan.values[3].owner, 1);
  EXPECT_EQ(plan.values[4].owner, 4);
  EXPECT_TRUE(plan.values[1].written);
  EXPECT_FALSE(plan.values[4].written);
  EXPECT_TRUE(plan.HasOwnGradient(0));
  EXPECT_FALSE(plan.HasOwnGradient(1));  // written: its gradient belongs to several contents
}

}  // namespace
}  // namespace twingrad::reference
