#include "autograd/runner/node_names.h"

#include <gtest/gtest.h>

#include "autograd/graph/thread_state.h"
#include "autograd/graph/variable.h"
#include "autograd/graph/view.h"
#include "autograd/ops/ops.h"

namespace twingrad::runner {
namespace {

using program::NodeName;
using program::NodeRole;

TEST(NodeNames, FollowTheStatements) {
  NodeNames names;
  names.BeginStatement(0, false);
  const Tensor x = Tensor::FromData<double>({2}, {1, 2});
  SetRequiresGrad(x, true);
  names.NoteLeaf(x);
  names.BeginStatement(1, false);
  const Tensor y = ops::Mul(x, x);
  names.BeginStatement(4, false);  // statements may be left out
  Tensor v = ops::Slice(y, 0, 0, 1, 1);
  names.BeginStatement(5, false);
  ops::NegInPlace(v);
  names.NoteOperand(v, 4);
  names.BeginStatement(6, false);
  const Tensor z = ops::Neg(v);
  names.NoteOperand(v, 4);
  names.BeginStatement(7, true);
  const Tensor made = ops::Neg(z);

  const auto name = [&](const Tensor& t) { return names.NameOf(*GradientEdge(t).function); };
  EXPECT_EQ(name(x), (NodeName{NodeRole::kAccumulateGrad, 0, 0}));
  EXPECT_EQ(name(y), (NodeName{NodeRole::kCopySlices, 5, 0}));
  EXPECT_EQ(name(z), (NodeName{NodeRole::kStatement, 6, 0}));
  EXPECT_EQ(name(v), (NodeName{NodeRole::kRegeneratedView, 4, 0}));
  EXPECT_EQ(name(made), (NodeName{NodeRole::kBackward, 7, 0}));
}

// Of several results each has names of its own, whichever comes first.
TEST(NodeNames, TellResultsOfOneStatementApart) {
  NodeNames names;
  names.BeginStatement(0, false);
  const Tensor x = Tensor::FromData<double>({2}, {1, 2});
  SetRequiresGrad(x, true);
  names.BeginStatement(1, false);
  Tensor y = ops::Neg(x);
  names.BeginStatement(2, false);
  const VariableList parts = ops::Unbind(y, 0);
  for (int i = 0; i < 2; ++i) {
    names.BeginStatement(3 + 2 * i, false);
    ops::NegInPlace(y);
    names.BeginStatement(4 + 2 * i, false);
    for (int32_t nr : {1, 0}) {
      const NodePtr node = GradientEdge(parts[nr]).function;
      names.NoteOperand(parts[nr], 2, nr, 2);
      EXPECT_EQ(names.NameOf(*node), (NodeName{NodeRole::kRegeneratedView, 2, 2 * i + nr}));
    }
  }
}

TEST(NodeNames, CountRegenerations) {
  NodeNames names;
  names.BeginStatement(0, false);
  const Tensor x = Tensor::FromData<double>({2}, {1, 2});
  SetRequiresGrad(x, true);
  names.BeginStatement(1, false);
  Tensor y = ops::Neg(x);
  names.BeginStatement(2, false);
  const Tensor v = ops::Slice(y, 0, 0, 1, 1);
  std::vector<NodePtr> nodes;
  for (int i = 0; i < 3; ++i) {
    names.BeginStatement(3 + 2 * i, false);
    ops::NegInPlace(y);
    names.BeginStatement(4 + 2 * i, false);
    nodes.push_back(GradientEdge(v).function);
    names.NoteOperand(v, 2);
    names.NoteOperand(v, 2);
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(names.NameOf(*nodes[i]), (NodeName{NodeRole::kRegeneratedView, 2, i}));
  }
}

// One section makes the node of a view from before them all, the other uses it.
TEST(NodeNames, ASectionKnowsTheViewThatAnotherOneMadeAnew) {
  NodeNames outer;
  outer.BeginStatement(0, false);
  const Tensor x = Tensor::FromData<double>({2}, {1, 2});
  SetRequiresGrad(x, true);
  outer.BeginStatement(1, false);
  Tensor y = ops::Neg(x);
  outer.BeginStatement(2, false);
  const Tensor v = ops::Slice(y, 0, 0, 1, 1);
  outer.BeginStatement(3, false);
  ops::NegInPlace(y);
  const uint64_t first = ReserveOrderKeys(2000);
  NodeNames maker(&outer, first), user(&outer, first);
  const NodeName name = {NodeRole::kRegeneratedView, 2, 0};
  {
    const OrderScope keys(first);
    maker.BeginStatement(5, false);
    ops::Neg(v);
    maker.NoteOperand(v, 2);
  }
  {
    const OrderScope keys(first + 1000);
    user.BeginStatement(8, false);
    ops::Neg(v);
    user.NoteOperand(v, 2);
    EXPECT_EQ(user.NameOf(*GradientEdge(v).function), name);
  }
  EXPECT_EQ(maker.NameOf(*GradientEdge(v).function), name);
  outer.Adopt(maker);
  outer.Adopt(user);
  EXPECT_EQ(outer.NameOf(*GradientEdge(v).function), name);
}

}  // namespace
}  // namespace twingrad::runner
