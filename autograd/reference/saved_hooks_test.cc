// Regions of saved-tensor hooks in the twin: what is packed, in what order it is unpacked, and what
// derivatives are made of it.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/reference/dual.h"
#include "autograd/reference/test_program.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

// What was unpacked in a call, by the first number of each tensor.
Row Unpacked(const TwinRun& run, size_t call = 0) {
  Row numbers;
  for (const program::HookRecord& hook : run.Call(call).hooks) {
    numbers.push_back(Numbers(hook.gradient)[0]);
  }
  return numbers;
}

// Rules: K6.
TEST(SavedHooksTest, NodesUnpackOperandsInOrderAndThenTheResult) {
  const TwinRun run(R"(%x = leaf type=f64[] data=3 grad=1
%w = leaf type=f64[] data=5 grad=1
%c = leaf type=f64[] data=7
begin kind=saved_tensor_hooks do=record
%y = mul %x %w
%z = mul %y %c
%s = add %z %x
%t = relu %s
end
backward %t
)");
  EXPECT_EQ(Unpacked(run), (Row{108, 7, 3, 5}));
  EXPECT_EQ(run.Call(0).hooks[0].statement, 3);
  EXPECT_EQ(run.Call(0).hooks[0].node, run.Node(0, 7));
  EXPECT_EQ(run.Grad("x"), Row({36}));
}

TEST(SavedHooksTest, MatricesAreSavedForEachOther) {
  const TwinRun run(R"(%a = leaf type=f64[1,1] data=1
%b = leaf type=f64[1,1] data=2 grad=1
%c = leaf type=f64[1,1] data=3
begin kind=saved_tensor_hooks do=record
%y = addmm %a %b %c
end
backward %y
)");
  EXPECT_EQ(Unpacked(run), Row({3}));
}

// Of an operand without history that is summed before it is multiplied the operand is saved.
TEST(SavedHooksTest, WhatAnEquationSumsBeforeIsScaledToo) {
  constexpr std::string_view kText = R"(%a = leaf type=f64[2] data=2,3 grad=1
%b = leaf type=f64[2] data=5,1
begin kind=saved_tensor_hooks do=scale by=10
%y = einsum %a %b equation=i,j->i
end
backward %y seeds=%a
)";
  const TwinRun run(kText);
  EXPECT_EQ(Unpacked(run), (Row{5}));
  EXPECT_EQ(run.Grad("a"), (Row{120, 180}));
  // The sum is saved there.
  EXPECT_EQ(TwinRun(kText, Dialect::kPytorch).Grad("a"), (Row{120, 180}));
}

// Rules: K6.
TEST(SavedHooksTest, DerivativesReadScaledTensors) {
  const TwinRun run(R"(%x = leaf type=f64[2] data=3,4 grad=1
%w = leaf type=f64[] data=5 grad=1
begin kind=saved_tensor_hooks do=scale by=10
%y = mul %x %w
%m = div %y %w
end
%s = sum %m
backward %s
)");
  // m: g / (10 w) to y, -g (10 y) / (100 w w) to w; then 10 w and 10 x.
  EXPECT_EQ(run.Value("m"), Row({3, 4}));
  EXPECT_EQ(run.Grad("x"), Row({1, 1}));
}

TEST(SavedHooksTest, AThrowingHookEndsStatementsThatSave) {
  const TwinRun run(R"(%x = leaf type=f64[] data=3 grad=1
%n = leaf type=f64[] data=3
begin kind=saved_tensor_hooks do=throw
%a = add %x %x
%b = mul %n %n
%c = mul %x %x
end
)");
  EXPECT_EQ(run.Error(), ErrorKind::kUser);
  EXPECT_EQ(run.ErrorStatement(), 5);
  EXPECT_TRUE(run.Record("b").defined);
  EXPECT_FALSE(run.Record("c").defined);
}

TEST(SavedHooksTest, VersionsAreNotChecked) {
  const char* const text = R"(%x = leaf type=f64[] data=3 grad=1
%y = add %x %x
begin kind=saved_tensor_hooks do=record
%z = mul %y %y
end
neg_ %y
backward %z
)";
  EXPECT_EQ(TwinRun(text).Grad("x"), Row({24}));
  EXPECT_EQ(TwinRun(text, Dialect::kPytorch).Grad("x"), Row({24}));
  EXPECT_TRUE(TwinRun(text, Dialect::kPytorch).Call(0).hooks.empty());
}

// Those that equal the result, as both are unpacked.
TEST(SavedHooksTest, ScaledExtremesAreThoseThatEqualTheResult) {
  const auto gradient = [](const std::string& by) {
    return TwinRun(
               "%x = leaf type=f64[2] data=3,4 grad=1\n"
               "begin kind=saved_tensor_hooks do=scale by=" +
               by + "\n%y = amax %x\nend\nbackward %y\n")
        .Grad("x");
  };
  EXPECT_EQ(gradient("2"), (Row{0, 1}));
  EXPECT_EQ(gradient("-1"), (Row{0, 1}));
  EXPECT_EQ(gradient("0"), (Row{0.5, 0.5}));
}

// Indices that an op makes are packed with the dimension that they are of.
TEST(SavedHooksTest, OpsPackTheIndicesThatTheyMake) {
  const auto unpacked = [](const std::string& statement) {
    const TwinRun run(
        "%x = leaf type=f64[2,2] data=5,4,1,3 grad=1\n"
        "begin kind=saved_tensor_hooks do=scale by=2\n%y = " +
        statement + "\nend\n%s = sum %y\nbackward %s\n");
    EXPECT_EQ(run.Call(0).hooks.size(), 1u);
    return run.Call(0).hooks[0].gradient;
  };
  const program::TensorData sorted = unpacked("sort %x dim=1");
  EXPECT_EQ(sorted.shape, (Shape{2, 2}));
  EXPECT_EQ(Numbers(sorted), (Row{1, 0, 0, 1}));
  const program::TensorData greatest = unpacked("max %x dim=1");
  EXPECT_EQ(greatest.dtype, DType::kI64);
  EXPECT_EQ(greatest.shape, (Shape{2, 1}));
  EXPECT_EQ(Numbers(greatest), (Row{0, 1}));
  EXPECT_EQ(unpacked("min %x dim=0 keepdim=1").shape, (Shape{1, 2}));
}

// Given as a second result too, and then a copy of them, whose version nobody checks.
TEST(SavedHooksTest, OpsPackTheIndicesThatTheyGive) {
  const TwinRun run(R"(%x = leaf type=f64[2,2] data=5,4,1,3 grad=1
begin kind=saved_tensor_hooks do=record
%y,%i = max %x dim=1
end
neg_ %i
%s = sum %y
backward %s
)");
  ASSERT_EQ(run.Call(0).hooks.size(), 1u);
  EXPECT_EQ(run.Call(0).hooks[0].gradient.shape, (Shape{2, 1}));
  EXPECT_EQ(Numbers(run.Call(0).hooks[0].gradient), (Row{0, 1}));
  EXPECT_EQ(run.Value("i"), (Row{0, -1}));
  EXPECT_EQ(run.Grad("x"), (Row{1, 0, 0, 1}));
}

// Of softmax the result, of prod the operand.
TEST(SavedHooksTest, ScaledTensorsOfReductionsAndScans) {
  const auto gradient = [](const std::string& statement) {
    return TwinRun(
        "%x = leaf type=f64[2] data=3,4 grad=1\n%g = leaf type=f64[2] data=1,0\n"
        "begin kind=saved_tensor_hooks do=scale by=2\n%y = " +
        statement + "\nend\n%z = mul %y %g\n%s = sum %z\nbackward %s\n");
  };
  const double r = gradient("softmax %x dim=0").Value("y")[0];
  EXPECT_NEAR(gradient("softmax %x dim=0").Grad("x")[0], (1 - 2 * r) * 2 * r, 1e-12);
  EXPECT_EQ(gradient("prod %x").Grad("x"), (Row{8, 6}));
  EXPECT_EQ(gradient("mse_loss %x %g reduction=none").Grad("x"), (Row{8, 0}));
}

// Slopes are those of what is unpacked.
TEST(SavedHooksTest, ScaledTensorsDecideSlopes) {
  const auto slopes = [](const std::string& by, const std::string& statement) {
    const TwinRun run(
        "%x = leaf type=f64[3] data=-3,0,2 grad=1\n%c = leaf type=f64[3] data=1,1,1\n"
        "begin kind=saved_tensor_hooks do=scale by=" +
        by + "\n%y = " + statement + "\nend\n%s = sum %y\nbackward %s\n");
    EXPECT_EQ(run.result().skipped.value_or(""), "");
    return run.Grad("x");
  };
  EXPECT_EQ(slopes("3", "abs %x"), (Row{-1, 0, 1}));
  EXPECT_EQ(slopes("-1", "abs %x"), (Row{1, 0, -1}));
  EXPECT_EQ(slopes("2", "relu %x"), (Row{0, 0, 1}));
  EXPECT_EQ(slopes("-1", "relu %x"), (Row{0, 0, 0}));
  EXPECT_EQ(slopes("-1", "maximum %x %c"), (Row{1, 1, 0}));
  EXPECT_EQ(slopes("0", "minimum %x %c"), (Row{0.5, 0.5, 0.5}));
  EXPECT_EQ(slopes("0.5", "clamp %x min=-2 max=4"), (Row{1, 1, 1}));
}

// A custom function packs what it saves, and unpacks it after its log.
TEST(SavedHooksTest, CustomFunctionsPackToo) {
  const auto run = [](const std::string& region, const std::string& lines) {
    return TwinRun("%x = leaf type=f64[] data=3 grad=1\n%w = leaf type=f64[] data=5\nbegin " +
                   region + "\n" + lines + "end\n");
  };
  const std::string record = "kind=saved_tensor_hooks do=record";
  const TwinRun square = run(record, "%a,%b = custom %x %w do=square\nbackward %a\n");
  EXPECT_EQ(Unpacked(square), (Row{1, 0, 3, 5}));  // two gradients, two operands
  EXPECT_EQ(square.Call(0).hooks[2].statement, 2);
  EXPECT_EQ(square.Grad("x"), Row{6});
  const std::string scale = "kind=saved_tensor_hooks do=scale by=2";
  EXPECT_EQ(run(scale, "%a = custom %x do=square\nbackward %a\n").Grad("x"), Row{12});
  const std::string throws = "kind=saved_tensor_hooks do=throw";
  EXPECT_EQ(run(throws, "%a = custom %x do=square\n").Error(), ErrorKind::kUser);
  EXPECT_TRUE(run(throws, "%a = custom %x do=pass\n").Record("a").defined);
  const TwinRun write = run(throws, "%y = neg %x\ncustom_ %y do=exp\n");
  EXPECT_EQ(write.Error(), ErrorKind::kUser);
  EXPECT_EQ(write.Record("y").version, 1u);
}

TEST(SavedHooksTest, TheDualWitnessFollowsProducts) {
  const auto gradient = [](const char* action, std::vector<int32_t> failed) {
    return RunDual(ParseOrThrow(absl::StrCat("%x = leaf type=f64[] data=3 grad=1\n",
                                             "begin kind=saved_tensor_hooks do=", action, "\n",
                                             "%y = mul %x %x\nend\nbackward %y\n")),
                   failed)
        .grads[0]
        .data;
  };
  EXPECT_EQ(gradient("record", {}), DualNumbers{6});
  EXPECT_EQ(gradient("scale by=2", {}), DualNumbers{12});
  EXPECT_EQ(gradient("throw", {2}), DualNumbers{0});
}

// What a product saves, and so what scaling it does, is each engine's own there.
// PyTorch's slope of xlogy asks whether the factor is 0, whatever was unpacked.
TEST(SavedHooksTest, ScaledFactorsOfXlogyAreNotJudgedInPytorchsDialects) {
  const std::string text =
      "%x = leaf type=f64[] data=0 grad=1\nbegin kind=saved_tensor_hooks do=scale by=0\n"
      "%b = leaf type=f64[] data=1\n%y = xlogy %x %b\nend\nbackward %y\n";
  EXPECT_EQ(TwinRun(text).Grad("x"), Row({-std::numeric_limits<double>::infinity()}));
  EXPECT_TRUE(TwinRun(text, Dialect::kPytorch).result().skipped.has_value());
}

TEST(SavedHooksTest, ScaledCompositesAreNotJudgedInPytorchsDialects) {
  const std::string text =
      "%x = leaf type=f64[2] data=1,1 grad=1\nbegin kind=saved_tensor_hooks do=scale by=2\n"
      "%y = prod %x\nend\nbackward %y\n";
  EXPECT_FALSE(TwinRun(text).result().skipped.has_value());
  EXPECT_TRUE(TwinRun(text, Dialect::kPytorch).result().skipped.has_value());
}

}  // namespace
}  // namespace twingrad::reference
