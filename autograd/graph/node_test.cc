// Edges, inputs, order keys and destruction of nodes.

#include "autograd/graph/node.h"

#include <functional>
#include <string_view>
#include <unordered_set>

#include <gtest/gtest.h>

#include "absl/container/flat_hash_set.h"

#include "autograd/graph/saved_variable.h"
#include "autograd/graph/test_nodes.h"

namespace twingrad {
namespace {

// Rules: C1.
TEST(NodeTest, EdgesKeepTheirOrderHoweverMany) {
  for (uint32_t count : {0u, 1u, 2u, 3u, 4u, 5u, 9u, 100u}) {
    NodePtr target = MakePass({});
    NodePtr node = MakePass({});
    for (uint32_t i = 0; i < count; ++i) node->AddNextEdge(Edge(target, i));
    ASSERT_EQ(node->num_outputs(), count);
    for (uint32_t i = 0; i < count; ++i) EXPECT_EQ(node->next_edge(i).input_nr, i);
    EXPECT_EQ(target->ReferenceCount(), 1 + count);
    node.reset();
    EXPECT_EQ(target->ReferenceCount(), 1u);
  }
}

// The engine does not call what would do nothing.
TEST(NodeTest, KnowsWhetherItsClassReleasesAnything) {
  struct Releases : Node {
    VariableList Apply(VariableList&& gradients) override { return std::move(gradients); }
    void ReleaseVariables() override {}
    std::string_view name() const override { return "Releases"; }
  };
  struct Inherits final : Releases {};
  EXPECT_TRUE(MakePass({})->SavesNothing());
  EXPECT_FALSE(MakeNode<Releases>()->SavesNothing());
  EXPECT_FALSE(MakeNode<Inherits>()->SavesNothing());
}

// Rules: C3.
TEST(NodeTest, TopologicalNumberIsTheLongestPath) {
  NodePtr a = MakePass({});
  NodePtr b = MakePass({Edge(a, 0)});
  NodePtr c = MakePass({Edge(a, 0), Edge(b, 0), Edge()});
  EXPECT_EQ(a->topological_nr(), 0u);
  EXPECT_EQ(c->topological_nr(), 2u);
}

// Rules: C3.
TEST(NodeTest, EdgesAreAddedBeforeThoseThatLeadToTheNode) {
  NodePtr leaf = MakePass({});
  NodePtr child = MakePass({Edge(leaf, 0)});
  NodePtr parent = MakePass({Edge(child, 0)});
  EXPECT_EQ(KindOf([&] { child->AddNextEdge(Edge(MakePass({Edge(leaf, 0)}), 0)); }),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { child->SetNextEdge(0, Edge(MakePass({}), 0)); }),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(child->num_outputs(), 1u);
  child->AddNextEdge(Edge());  // leads nowhere
  parent->AddNextEdge(Edge(leaf, 0));
  EXPECT_EQ(parent->topological_nr(), 2u);
}

// Rules: C1.
TEST(NodeTest, EqualEdgesHaveEqualHashes) {
  NodePtr a = MakePass({});
  NodePtr b = MakePass({});
  const absl::flat_hash_set<Edge> seen = {Edge(a, 0), Edge(a, 1), Edge(b, 0), Edge(a, 0), Edge()};
  EXPECT_EQ(seen.size(), 4u);
  EXPECT_TRUE(seen.contains(Edge(b, 0)));
  EXPECT_FALSE(seen.contains(Edge(b, 1)));
  const std::unordered_set<Edge> standard(seen.begin(), seen.end());
  EXPECT_EQ(standard.size(), 4u);
  EXPECT_EQ(std::hash<Edge>()(Edge(a, 1)), std::hash<Edge>()(Edge(a, 1)));
}

// Rules: C4.
TEST(NodeTest, DeviceIsTheFirstThatIsNotTheCpu) {
  NodePtr node = MakePass({});
  EXPECT_TRUE(node->device().IsCpu());
  node->AddInput(Tensor::Scalar(0, DType::kF64, Device::Sim(2)));
  node->AddInput(Tensor::Scalar(0, DType::kF64, Device::Sim(1)));
  EXPECT_EQ(node->device(), Device::Sim(2));
  EXPECT_EQ(node->num_inputs(), 3u);
  EXPECT_EQ(node->input_metadata(2).device(), Device::Sim(1));
}

// Rules: B9.
TEST(NodeTest, MetadataTellsTypesApart) {
  NodePtr node = MakePass({}, Tensor::Zeros({2, 3}, DType::kF32));
  EXPECT_TRUE(node->input_metadata(0).Matches(Tensor::Zeros({2, 3}, DType::kF32)));
  EXPECT_FALSE(node->input_metadata(0).Matches(Tensor::Zeros({3, 2}, DType::kF32)));
  EXPECT_FALSE(node->input_metadata(0).Matches(Tensor::Zeros({2, 3}, DType::kF64)));
  NodePtr wide = MakePass({}, Tensor::Zeros({1, 2, 3, 4}, DType::kF32));
  EXPECT_TRUE(wide->input_metadata(0).Matches(Tensor::Zeros({1, 2, 3, 4}, DType::kF32)));
  EXPECT_FALSE(wide->input_metadata(0).Matches(Tensor::Zeros({1, 2, 3, 5}, DType::kF32)));
}

// Rules: C2.
TEST(NodeTest, LaterNodesHaveHigherKeysAndScopesSetThem) {
  NodePtr first = MakePass({});
  NodePtr second = MakePass({});
  EXPECT_LT(first->sequence_nr(), second->sequence_nr());
  {
    std::vector<NodePtr> made;
    OrderScope scope(ProvisionalOrderKey(7, 0), &made);
    NodePtr third = MakePass({});
    EXPECT_EQ(third->sequence_nr(), ProvisionalOrderKey(7, 0));
    ASSERT_EQ(made.size(), 1u);
    EXPECT_EQ(made[0], third);
  }
  EXPECT_EQ(MakePass({})->sequence_nr(), second->sequence_nr() + 1);
  const uint64_t reserved = ReserveOrderKeys(10);
  EXPECT_EQ(MakePass({})->sequence_nr(), reserved + 10);
}

// Rules: C8, C9, Q2.
TEST(NodeTest, LongChainsAreDestroyedWithoutRecursion) {
  NodePtr last = MakePass({});
  for (int i = 0; i < 1'000'000; ++i) last = MakePass({Edge(std::move(last), 0)});
  last.reset();
}

// Rules: C8.
TEST(NodeTest, LongChainsThroughSavedVariablesAreDestroyedWithoutRecursion) {
  Tensor value = MakeLeaf(1);
  for (int i = 0; i < 1'000'000; ++i) {
    auto saved = std::make_shared<SavedVariable>(value, false);
    NodePtr node = MakeFunction([saved](FunctionNode&, VariableList g) { return g; }, {});
    value = Tensor::Scalar(1);
    AutogradMeta& meta = AutogradMeta::Of(value);
    meta.node = std::move(node);
  }
  value.reset();
}

}  // namespace
}  // namespace twingrad
