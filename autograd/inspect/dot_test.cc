// Drawings: nodes, leaves, arrows and names of small graphs, and that large ones are cut.

#include "autograd/inspect/dot.h"

#include <any>
#include <string>
#include <string_view>

#include "autograd/engine/front_end.h"
#include "autograd/graph/node.h"
#include "autograd/graph/saved_tensor_hooks.h"
#include "autograd/graph/variable.h"
#include "autograd/notation/elements.h"
#include "autograd/notation/functions.h"
#include "autograd/notation/operators.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Dot, DrawsNodesLeavesAndArrows) {
  const Tensor x = Leaf(Tensor::FromData<double>({2}, {1, 2}));
  const Tensor w = Leaf(Tensor::Scalar(3, DType::kF64));
  EXPECT_EQ(
      ToDot({Exp(x * w)}, {.names = {{"x", x}, {"w", w}}}),
      "digraph backward {\n"
      "  node [shape=box];\n"
      "  n0 [label=\"ExpBackward\\nf64[2]\\nsaves f64[2], 16 bytes\"];\n"
      "  n0 -> n1;\n"
      "  n1 [label=\"MulBackward\\nf64[2]\\nsaves f64[2], 16 bytes\\nsaves f64[], 8 bytes\"];\n"
      "  n1 -> n2;\n"
      "  n1 -> n3;\n"
      "  n2 [label=\"leaf x\\nf64[2]\", shape=ellipse];\n"
      "  n3 [label=\"leaf w\\nf64[]\", shape=ellipse];\n"
      "  root0 [label=\"root 0\", shape=plaintext];\n"
      "  root0 -> n0;\n"
      "}\n");
}

TEST(Dot, ShowsWhatNodesSave) {
  const Tensor x = Leaf(Tensor::FromData<float>({3}, {1, 2, 3}));
  const Tensor y = Exp(x);
  EXPECT_TRUE(Has(ToDot({y}), "ExpBackward\\nf32[3]\\nsaves f32[3], 12 bytes\""));
  Backward({Sum(y)});
  EXPECT_TRUE(Has(ToDot({y}), "ExpBackward\\nf32[3]\\nsaved, released\""));
  EXPECT_FALSE(Has(ToDot({-x}), "save"));
  // Asked for, a picture runs no hook and refuses nothing.
  const Tensor z = Exp(x);
  z.BumpVersion();
  EXPECT_TRUE(Has(ToDot({z}), "saves f32[3], 12 bytes"));
  int unpacked = 0;
  const SavedTensorHooksGuard hooks({[](const Tensor& tensor) { return std::any(tensor); },
                                     [&unpacked](const std::any& packed) {
                                       ++unpacked;
                                       return std::any_cast<Tensor>(packed);
                                     }});
  EXPECT_TRUE(Has(ToDot({Exp(x)}), "saves what a hook packed"));
  EXPECT_EQ(unpacked, 0);
}

TEST(Dot, SharedNodesAreDrawnOnceAndNothingIsAnEmptyGraph) {
  const Tensor x = Leaf(Tensor::Scalar(2));
  const Tensor y = x * x;
  const std::string text = ToDot({y + y, y, Tensor::Scalar(1), Tensor()});
  EXPECT_EQ(text.find("MulBackward"), text.rfind("MulBackward"));
  EXPECT_TRUE(Has(text, "  n0 -> n1;\n  n0 -> n1;\n"));  // both operands of the sum
  EXPECT_TRUE(Has(text, "root1 -> n1;"));
  EXPECT_FALSE(Has(text, "root2"));
  EXPECT_EQ(ToDot({}), "digraph backward {\n  node [shape=box];\n}\n");
}

TEST(Dot, EscapesNamesAndNumbersInputs) {
  class Two final : public Node {
   public:
    VariableList Apply(VariableList&&) override { return {}; }
    std::string_view name() const override { return "a \"quoted\" \\name"; }
  };
  auto node = MakeNode<Two>();
  const Tensor first = Tensor::Scalar(1);
  const Tensor second = Tensor::Zeros({3}, DType::kF32, Device::Sim(1));
  SetHistory(first, node, 0);
  SetHistory(second, node, 1);
  EXPECT_EQ(ToDot({second}, {.names = {{"line\nbreak", first}, {"b", second}}}),
            "digraph backward {\n"
            "  node [shape=box];\n"
            "  n0 [label=\"a \\\"quoted\\\" \\\\name line\\nbreak, b\\nf64[]\\nf32[3] on "
            "sim:1\"];\n"
            "  root0 [label=\"root 0\", shape=plaintext];\n"
            "  root0 -> n0 [label=\"1\"];\n"
            "}\n");
}

TEST(Dot, CutsLargeGraphsAndWalksDeepOnes) {
  Tensor y = Leaf(Tensor::Scalar(1));
  for (int i = 0; i < 100'000; ++i) y = -y;
  const std::string text = ToDot({y}, {.max_nodes = 3});
  EXPECT_TRUE(Has(text, "n2 [label"));
  EXPECT_FALSE(Has(text, "n3"));
  EXPECT_TRUE(Has(text, "1 edges lead to nodes not shown"));
  EXPECT_TRUE(Has(ToDot({y}, {.max_nodes = 1'000'000}), "n100000 [label=\"leaf"));
}

}  // namespace
}  // namespace twingrad
