// What Backward and Grad accept, and what they say where they do not.

#include "autograd/engine/front_end.h"

#include <vector>

#include <gtest/gtest.h>

#include "autograd/graph/hooks.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/ops/ops.h"

namespace twingrad {
namespace {

double GradValue(const Tensor& x) { return GradOf(x).item<double>(); }

class FrontEndTest : public testing::Test {
 protected:
  Tensor x = MakeLeaf(2);
  Tensor y = ops::Mul(x, x);
  Tensor z = ops::Mul(y, y);
};

// Rules: A1, A2, A3, A5, A6, A12.
TEST_F(FrontEndTest, ChecksRootsSeedsAndInputs) {
  Tensor wide = ops::Expand(x, {3});
  const Tensor plain = Tensor::Scalar(1);
  const Tensor ones = Tensor::Ones({3}, DType::kF64);
  EXPECT_EQ(KindOf([&] { Backward({Tensor()}); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { Grad({x}, {Tensor()}); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { Backward({}); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { Grad({x}, {}); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { Backward({x}, {plain, plain}); }), ErrorKind::kGradCount);
  EXPECT_EQ(KindOf([&] { Backward({plain}); }), ErrorKind::kNoGraph);
  EXPECT_EQ(KindOf([&] { Backward({wide}); }), ErrorKind::kImplicitSeed);
  EXPECT_EQ(KindOf([&] { Backward({wide}, {plain}); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Backward({wide}, {Tensor::Ones({3}, DType::kF32)}); }), ErrorKind::kDType);
  EXPECT_EQ(KindOf([&] { Backward({wide}, {Tensor::Ones({3}, DType::kF64, Device::Sim(0))}); }),
            ErrorKind::kDevice);
  EXPECT_EQ(KindOf([&] { Grad({x}, {plain}); }), ErrorKind::kNoGraph);
  Backward({wide}, {ones});
  EXPECT_EQ(GradValue(x), 3);
}

// Rules: A7, A8.
TEST_F(FrontEndTest, ALeafMayBeARootAndRootsMayRepeat) {
  Backward({x, x});
  EXPECT_EQ(GradValue(x), 2);
}

// Rules: A9.
TEST_F(FrontEndTest, ARootMayLieAboveAnother) {
  Backward({y, z});
  EXPECT_EQ(GradValue(x), 4 + 32);
}

// Rules: A18.
TEST_F(FrontEndTest, TheGradientOfARootByItselfIsItsSeedButNotItsMemory) {
  Tensor seed = Tensor::Scalar(7);
  for (bool create_graph : {false, true}) {
    VariableList g = Grad({y}, {y}, {seed}, {.retain_graph = true, .create_graph = create_graph});
    EXPECT_EQ(g[0].item<double>(), 7);
    EXPECT_FALSE(g[0].HasSameStorage(seed));
  }
}

// Rules: A16.
TEST_F(FrontEndTest, GradientsUnderCreateGraphShareNoMemory) {
  // The gradient of h is that of its transpose, moved; those of a sum's operands are one.
  const double data[] = {1, 2, 3, 4};
  Tensor w = Tensor::FromData<double>({2, 2}, data);
  SetRequiresGrad(w, true);
  Tensor h = ops::Mul(w, w);
  Tensor t = ops::Transpose(h, 0, 1);
  Tensor s = ops::Add(t, h);
  Tensor wide = ops::Expand(ops::Sum(s, {}, false), {3});
  Tensor total = ops::Sum(ops::Mul(wide, wide), {}, false);
  VariableList g = Grad({total}, {s, t, h, t, w}, {}, {.create_graph = true});
  for (size_t i = 0; i < g.size(); ++i) {
    EXPECT_FALSE(HasInternalOverlap(g[i].sizes(), g[i].strides())) << i;
    for (size_t k = 0; k < i; ++k) EXPECT_FALSE(g[i].HasSameStorage(g[k])) << i << " " << k;
  }
  // total = 3 (2 sum w^2)^2, so its gradient by s is 6 (2 sum w^2) = 360 everywhere, by h 720.
  EXPECT_EQ(g[1].data<double>()[0], 360);
  ops::MulInPlace(g[1], Tensor::Scalar(5));
  EXPECT_EQ(g[0].data<double>()[0], 360);
  EXPECT_EQ(g[2].data<double>()[0], 720);
  EXPECT_EQ(g[3].data<double>()[0], 360);
  // Neither is what the new graph saved overwritten: d/dw of 5 * 12 sum w^2 is 5 * 24 w, 4 times.
  VariableList second = Grad({ops::Sum(g[1], {}, false)}, {w});
  EXPECT_EQ(second[0].data<double>()[3], 4 * 5 * 24 * 4);
}

// Rules: A14, A15.
TEST_F(FrontEndTest, UnusedInputs) {
  Tensor other = Tensor::Ones({2}, DType::kF64);
  SetRequiresGrad(other, true);
  EXPECT_EQ(KindOf([&] { Grad({y}, {other}, {}, {.retain_graph = true}); }),
            ErrorKind::kUnusedInput);
  EXPECT_FALSE(Grad({y}, {other}, {}, {.retain_graph = true, .allow_unused = true})[0].defined());
  VariableList zeros = Grad({y}, {other, x}, {}, {.materialize_grads = true});
  EXPECT_EQ(zeros[0].data<double>()[1], 0);
  EXPECT_EQ(zeros[1].item<double>(), 4);
  EXPECT_FALSE(RequiresGrad(zeros[0]));
}

// Rules: A15.
TEST_F(FrontEndTest, MaterializedGradientsAreLeavesUnderCreateGraph) {
  Tensor other = Tensor::Ones({2}, DType::kF32);
  SetRequiresGrad(other, true);
  const GradOptions zeros = {.create_graph = true, .materialize_grads = true};
  VariableList g = Grad({y}, {other, x}, {}, zeros);
  EXPECT_TRUE(RequiresGrad(g[0]));
  EXPECT_TRUE(IsLeaf(g[0]));
  EXPECT_EQ(g[0].dtype(), DType::kF32);
  EXPECT_EQ(g[0].sizes(), other.sizes());
  EXPECT_FALSE(IsLeaf(g[1]));
  VariableList of_edge = Grad({y}, {GradientEdge(other)}, {}, zeros);
  EXPECT_EQ(of_edge[0].sizes(), other.sizes());
  EXPECT_TRUE(RequiresGrad(of_edge[0]));
  const GradOptions contradiction = {.allow_unused = false, .materialize_grads = true};
  EXPECT_EQ(KindOf([&] { Grad({y}, {x}, {}, contradiction); }), ErrorKind::kInvalidArgument);
  Grad({y}, {other}, {}, {.allow_unused = true, .materialize_grads = true});
}

// Rules: A4, A19.
TEST_F(FrontEndTest, EdgesAreRootsAndInputs) {
  const GradientEdge root(z);
  const GradientEdge middle(y);
  EXPECT_EQ(root.dtype(), DType::kF64);
  EXPECT_TRUE(root.sizes().empty());
  EXPECT_TRUE(root.device().IsCpu());
  const BackwardOptions keep = {.retain_graph = true};
  Backward({root}, {}, keep);
  EXPECT_EQ(GradValue(x), 32);
  z = Tensor();  // the edge owns the graph
  const VariableList g = Grad({root, root}, {middle, GradientEdge(x)},
                              {Tensor(), Tensor::Scalar(2)}, {.retain_graph = true});
  EXPECT_EQ(g[0].item<double>(), 3 * 8);
  EXPECT_EQ(g[1].item<double>(), 3 * 32);
  // The node of an input is executed; what is below it is not.
  int executed = 0;
  RegisterPreHook(*middle.function, [&](const VariableList& gradients) {
    ++executed;
    return gradients;
  });
  Backward({root}, {}, {.retain_graph = true, .input_edges = {middle}});
  EXPECT_EQ(executed, 1);
  EXPECT_EQ(GradValue(x), 32);
  Backward({Edge(root)}, {}, {.inputs = {{x}}, .input_edges = {middle}});
  EXPECT_EQ(GradValue(x), 64);
}

// Rules: A4, A6, A19.
TEST_F(FrontEndTest, ChecksEdges) {
  const GradientEdge wide(ops::Expand(x, {3}));
  const GradientEdge none;
  const GradientEdge beyond(GradientEdge(y).function, 1);
  EXPECT_EQ(KindOf([&] { none.metadata(); }), ErrorKind::kNoGraph);
  EXPECT_EQ(KindOf([&] { Backward({none}); }), ErrorKind::kNoGraph);
  EXPECT_EQ(KindOf([&] { Backward({beyond}); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { Backward({wide}); }), ErrorKind::kImplicitSeed);
  EXPECT_EQ(KindOf([&] { Backward({wide}, {Tensor::Scalar(1)}); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Backward({wide}, {Tensor::Ones({3}, DType::kF32)}); }), ErrorKind::kDType);
  EXPECT_EQ(KindOf([&] { Grad({y}, {none}); }), ErrorKind::kNoGraph);
  EXPECT_EQ(KindOf([&] { Backward({y}, {}, {.input_edges = {beyond}}); }),
            ErrorKind::kInvalidArgument);
  EXPECT_FALSE(GradientEdge(Tensor::Scalar(1)).is_valid());
}

// Rules: A11, A17.
TEST_F(FrontEndTest, InputsThatAreNoLeavesKeepTheirGradAndAreExecuted) {
  int executed = 0;
  RegisterPreHook(*GradientEdge(y).function, [&](const VariableList& g) {
    ++executed;
    return g;
  });
  Backward({z}, {}, {.inputs = {{y}}});
  EXPECT_EQ(GradValue(y), 8);
  EXPECT_EQ(executed, 1);
  EXPECT_FALSE(GradOf(x).defined());
  const BackwardOptions none = {.inputs = std::vector<Tensor>()};
  EXPECT_EQ(KindOf([&] { Backward({z}, {}, none); }), ErrorKind::kInvalidArgument);
}

// Rules: A10.
TEST_F(FrontEndTest, AGraphIsUsedOnceUnlessRetained) {
  Backward({y}, {}, {.retain_graph = true});
  Backward({y});
  EXPECT_EQ(KindOf([&] { Backward({y}); }), ErrorKind::kFreed);
  EXPECT_EQ(GradValue(x), 8);
}

TEST_F(FrontEndTest, ManyInputsOfOneCall) {
  std::vector<Tensor> leaves;
  Tensor total = MakeLeaf(0);
  for (int i = 0; i < 1000; ++i) {
    leaves.push_back(MakeLeaf(i));
    total = ops::Add(total, ops::Mul(leaves.back(), leaves.back()));
  }
  VariableList grads = Grad({total}, leaves);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(grads[i].item<double>(), 2.0 * i);
}

}  // namespace
}  // namespace twingrad
