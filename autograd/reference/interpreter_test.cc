// Statements: recording, views, writes in place, regions.

#include <cmath>
#include <vector>

#include "autograd/reference/test_program.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

using program::NodeRole;

TEST(InterpreterTest, RecordsWhereAnOperandRequiresGrad) {
  const TwinRun run(R"(%x = leaf type=f64[] data=1 grad=1
%c = leaf type=f64[] data=2
%y = add %c %c
%z = mul %y %x
begin kind=no_grad
%w = mul %x %x
end
%d = detach %z
)");
  EXPECT_FALSE(run.Record("y").requires_grad);
  EXPECT_TRUE(run.Record("z").requires_grad);
  EXPECT_FALSE(run.Record("w").requires_grad);
  EXPECT_FALSE(run.Record("d").requires_grad);
}

TEST(InterpreterTest, WritesInPlaceMoveTheHistory) {
  const TwinRun run(R"(%x = leaf type=f64[] data=3 grad=1
%y = leaf type=f64[] data=5
%w = mul %x %x
mul_ %y %w
backward %y
)");
  EXPECT_EQ(run.Value("y"), Row({45}));
  EXPECT_TRUE(run.Record("y").requires_grad);
  EXPECT_EQ(run.Record("y").version, 1u);
  EXPECT_EQ(run.Grad("x"), Row({30}));
}

TEST(InterpreterTest, WritesThroughViews) {
  const TwinRun run(R"(%x = leaf type=f64[2,2] data=1,2,3,4 grad=1
%y = clone %x
%row = select %y dim=0 index=1
mul_ %row %row
%s = sum %y
)");
  EXPECT_EQ(run.Value("y"), Row({1, 2, 9, 16}));
  EXPECT_EQ(run.Record("y").version, 1u);
  const TwinRun scaled(R"(%x = leaf type=f64[2,2] data=1,2,3,4 grad=1
%k = leaf type=f64[2] data=10,20
%y = clone %x
%row = select %y dim=0 index=1
mul_ %row %k
%again = mul %row %row
%s = sum %y
%t = sum %again
%u = add %s %t
backward %u
)");
  EXPECT_EQ(scaled.Value("row"), Row({30, 80}));
  // d/dx of x0 + x1 + 10 x2 + 20 x3 + 100 x2^2 + 400 x3^2.
  EXPECT_EQ(scaled.Grad("x"), Row({1, 1, 610, 3220}));
  EXPECT_GE(scaled.Node(0, 4, NodeRole::kCopySlices), 0);
  EXPECT_GE(scaled.Node(0, 3, NodeRole::kRegeneratedView), 0);
  EXPECT_EQ(scaled.Node(0, 3, NodeRole::kStatement), -1);
}

TEST(InterpreterTest, CopyAndZeroDropTheGradient) {
  const TwinRun run(R"(%x = leaf type=f64[3] data=1,2,3 grad=1
%v = leaf type=f64[] data=7 grad=1
%y = mul %x %x
%first = slice %y dim=0 start=0 stop=1
%last = slice %y dim=0 start=2
zero_ %first
copy_ %last %v
%s = sum %y
backward %s
)");
  EXPECT_EQ(run.Value("y"), Row({0, 4, 7}));
  EXPECT_EQ(run.Grad("x"), Row({0, 4, 0}));
  EXPECT_EQ(run.Grad("v"), Row({1}));
}

TEST(InterpreterTest, SecondDerivativeThroughAWriteOfAView) {
  const TwinRun run(R"(%x = leaf type=f64[2] data=1,2 grad=1
%y = clone %x
%v = select %y dim=0 index=1
exp_ %v
%s = sum %y
%g = grad %s inputs=%x create_graph=1
%t = sum %g
%h = grad %t inputs=%x
)");
  EXPECT_EQ(run.Value("g")[0], 1);
  EXPECT_NEAR(run.Value("h")[1], std::exp(2.0), 1e-14);
  EXPECT_EQ(run.Value("h")[0], 0);
}

TEST(InterpreterTest, LeavesAreWrittenWithoutGradModeOnly) {
  EXPECT_EQ(TwinRun(R"(%x = leaf type=f64[] data=1 grad=1
neg_ %x
)")
                .Error(),
            ErrorKind::kLeafInPlace);
  EXPECT_EQ(TwinRun(R"(%x = leaf type=f64[2] data=1,2 grad=1
%v = select %x dim=0 index=0
neg_ %v
)")
                .Error(),
            ErrorKind::kLeafInPlace);
  const TwinRun run(R"(%x = leaf type=f64[] data=3 grad=1
%y = mul %x %x
begin kind=no_grad
neg_ %x
end
)");
  EXPECT_EQ(run.Value("x"), Row({-3}));
  EXPECT_EQ(run.Record("x").version, 1u);
}

TEST(InterpreterTest, OverlapAndContiguity) {
  EXPECT_EQ(TwinRun(R"(%x = leaf type=f64[1] data=1
%e = expand %x shape=2
neg_ %e
)")
                .Error(),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(TwinRun(R"(%x = leaf type=f64[2,2] seed=1
%t = transpose %x dims=0,1
%v = view %t shape=4
)")
                .Error(),
            ErrorKind::kInvalidArgument);
  const TwinRun run(R"(%x = leaf type=f64[2,2] data=1,2,3,4
%t = transpose %x dims=0,1
%copy = reshape %t shape=4
%view = reshape %x shape=4
neg_ %copy
neg_ %view
)");
  EXPECT_EQ(run.Value("copy"), Row({-1, -3, -2, -4}));
  EXPECT_EQ(run.Value("x"), Row({-1, -2, -3, -4}));
}

// Both results of one node, which has saved the second one.
TEST(InterpreterTest, IndicesAreASecondResult) {
  const std::string text = R"(%x = leaf type=f64[2,2] data=5,4,1,3 grad=1
%v,%i = sort %x dim=1
%g = gather %x %i dim=0
%p = mul %v %g
%s = sum %p
)";
  const TwinRun run(text + "backward %s\n");
  EXPECT_EQ(run.Value("v"), (Row{4, 5, 1, 3}));
  EXPECT_EQ(run.Value("i"), (Row{1, 0, 0, 1}));
  EXPECT_FALSE(run.Record("i").requires_grad);
  EXPECT_EQ(run.Value("g"), (Row{1, 4, 5, 3}));
  EXPECT_EQ(run.Grad("x"), (Row{4 + 1, 1 + 5, 5 + 4, 3 + 3}));
  const TwinRun written(text + "zero_ %i\nbackward %s\n");
  EXPECT_EQ(written.Error(), ErrorKind::kVersion);
}

TEST(InterpreterTest, DetachSharesStorageAndVersion) {
  const TwinRun run(R"(%x = leaf type=f64[] data=2 grad=1
%y = mul %x %x
%d = detach %y
neg_ %d
)");
  EXPECT_EQ(run.Value("y"), Row({-4}));
  EXPECT_EQ(run.Record("y").version, 1u);
}

TEST(InterpreterTest, NoGradViewsAreNotWrittenInGradMode) {
  EXPECT_EQ(TwinRun(R"(%x = leaf type=f64[2] data=1,2 grad=1
%y = clone %x
begin kind=no_grad
%v = select %y dim=0 index=0
end
%w = select %x dim=0 index=0
mul_ %v %w
)")
                .Error(),
            ErrorKind::kInvalidArgument);
}

TEST(InterpreterTest, TryRegionsGoOnAtTheirEnd) {
  const TwinRun run(R"(%x = leaf type=f64[] data=2 grad=1
begin kind=try
begin kind=no_grad
%a = neg %x
backward %a
%b = neg %x
end
end
%c = neg %x
)");
  EXPECT_FALSE(run.result().observation.error.has_value());
  EXPECT_TRUE(run.Record("a").defined);
  EXPECT_FALSE(run.Record("b").defined);
  EXPECT_TRUE(run.Record("c").requires_grad);
}

TEST(InterpreterTest, UndefinedGradientsAreNoOperands) {
  const TwinRun run(R"(%x = leaf type=f64[] data=2 grad=1
%g = read_grad %x
%y = neg %g
)");
  EXPECT_EQ(run.Error(), ErrorKind::kUndefined);
  EXPECT_EQ(run.ErrorStatement(), 2);
}

}  // namespace
}  // namespace twingrad::reference
