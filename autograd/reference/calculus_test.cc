// Derivatives of every primitive, of first and second order, against differences of its values.

#include "autograd/reference/calculus.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/reference/algebra.h"
#include "autograd/reference/primitive_row.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

using Function = std::function<Variable(Calculus&, const Variable&)>;

// A statement's node on one leaf of three elements, differentiated as a call would.
class CalculusTest : public testing::Test {
 protected:
  static constexpr int kSize = 3;

  Variable Leaf(Calculus& calculus, const std::vector<double>& elements, NodeId node) {
    Array* array = NewArray(calculus.arena(), DType::kF64, &shape_, kSize);
    std::copy(elements.begin(), elements.end(), array->v);
    Variable leaf;
    leaf.data = array;
    leaf.node = node;
    leaf.tracked = true;
    leaf.operand = 0;
    return leaf;
  }

  std::vector<double> Value(const Function& f, const std::vector<double>& at) {
    Arena arena;
    Calculus calculus(arena);
    const Variable out = f(calculus, Leaf(calculus, at, kNoNode));
    return {out.data->v, out.data->v + out.data->size};
  }

  // Gradient of sum(seed * f) and, as the second, of the first's sum of squares.
  std::pair<std::vector<double>, std::vector<double>> Gradients(const Function& f,
                                                                const std::vector<double>& at) {
    Arena arena;
    Calculus calculus(arena);
    Node accumulator;
    const NodeId leaf = calculus.AddNode(accumulator);
    calculus.BeginStatement();
    const Variable out = f(calculus, Leaf(calculus, at, leaf));
    Node node;
    node.steps = calculus.TakeSteps();
    node.edges = absl::MakeConstSpan(&leaf, 1);
    const NodeId made = calculus.AddNode(node);
    const bool wanted[] = {true};
    Variable seed = calculus.Constant(1, out);
    calculus.BeginCall(0, /*create_graph=*/true);
    const Variable gradient = calculus.Differentiate(made, seed, wanted)[0];
    std::vector<double> first(gradient.data->v, gradient.data->v + kSize);
    if (!gradient.tracked) return {first, std::vector<double>(kSize, 0)};
    // Back from g^2 to the leaf, through whatever nodes the call has made.
    std::vector<Variable> slots(calculus.nodes().size());
    slots[gradient.node] =
        calculus.Apply(Primitive::kMultiply, calculus.Constant(2, gradient), Detached(gradient));
    calculus.BeginCall(1, /*create_graph=*/false);
    for (NodeId n = gradient.node; n > leaf; --n) {
      if (!slots[n].defined()) continue;
      const Node current = calculus.nodes()[n];
      const std::unique_ptr<bool[]> all(new bool[current.edges.size()]);
      std::fill_n(all.get(), current.edges.size(), true);
      const auto results =
          calculus.Differentiate(n, slots[n], absl::MakeConstSpan(all.get(), current.edges.size()));
      for (size_t k = 0; k < current.edges.size(); ++k) {
        if (current.edges[k] == kNoNode || !results[k].defined()) continue;
        Variable& slot = slots[current.edges[k]];
        slot = slot.defined() ? calculus.Apply(Primitive::kAdd, slot, results[k]) : results[k];
      }
    }
    const Variable& second = slots[leaf];
    if (!second.defined()) return {first, std::vector<double>(kSize, 0)};
    return {first, {second.data->v, second.data->v + kSize}};
  }

  static Variable Detached(Variable v) {
    v.tracked = false;
    v.node = kNoNode;
    return v;
  }

  void Check(const std::string& name, const Function& f) {
    constexpr double kStep = 1e-5;
    const std::vector<double> at = {0.7, 1.4, 2.2};
    const auto [first, second] = Gradients(f, at);
    for (int j = 0; j < kSize; ++j) {
      std::vector<double> above = at, below = at;
      above[j] += kStep;
      below[j] -= kStep;
      double slope = 0, curvature = 0;
      const auto up = Value(f, above), down = Value(f, below);
      for (size_t i = 0; i < up.size(); ++i) slope += (up[i] - down[i]) / (2 * kStep);
      EXPECT_NEAR(first[j], slope, 1e-7 * (1 + std::fabs(slope))) << name << " " << j;
      const auto g_up = Gradients(f, above).first, g_down = Gradients(f, below).first;
      for (int i = 0; i < kSize; ++i) {
        curvature += (g_up[i] * g_up[i] - g_down[i] * g_down[i]) / (2 * kStep);
      }
      EXPECT_NEAR(second[j], curvature, 1e-6 * (1 + std::fabs(curvature))) << name << " " << j;
    }
  }

  static std::string NameOf(const PrimitiveRow& row) {
    return absl::StrCat("primitive ", static_cast<int>(row.primitive));
  }

  Shape shape_ = Shape({kSize});
  Shape scalar_;
};

TEST_F(CalculusTest, FunctionsOfOneNumber) {
  for (const PrimitiveRow& row : UnaryPrimitives()) {
    Check(NameOf(row), [&](Calculus& c, const Variable& x) { return c.Apply(row.primitive, x); });
  }
}

TEST_F(CalculusTest, FunctionsOfTwoNumbers) {
  for (const PrimitiveRow& row : BinaryPrimitives()) {
    const Primitive p = row.primitive;
    const auto constant = [](Calculus& c, const Variable& x) { return c.Constant(1.5, x); };
    const auto check = [&](const char* side, const Function& f) { Check(NameOf(row) + side, f); };
    check(" left", [&](Calculus& c, const Variable& x) { return c.Apply(p, x, constant(c, x)); });
    check(" right", [&](Calculus& c, const Variable& x) { return c.Apply(p, constant(c, x), x); });
    if (p == Primitive::kMaximum || p == Primitive::kMinimum) continue;  // a kink
    check(" both", [&](Calculus& c, const Variable& x) { return c.Apply(p, x, x); });
  }
}

TEST_F(CalculusTest, Maps) {
  static constexpr int32_t kPlaces[] = {2, 0, 2};
  const IndexMap map{kPlaces, 3};
  Check("gather", [&](Calculus& c, const Variable& x) {
    const Variable g = c.Gather(x, map, &shape_);
    return c.Apply(Primitive::kExp, g);
  });
  static constexpr int32_t kAll[] = {0, 0, 0};
  const auto sum_of_squares = [&](Calculus& c, const Variable& x) {
    return ScatterAdd(c, c.Apply(Primitive::kMultiply, x, x), {kAll, 3}, &scalar_);
  };
  Check("scatter", sum_of_squares);
  Check("mean", [&](Calculus& c, const Variable& x) {
    return c.Apply(Primitive::kDivideCount, {.count = 3}, sum_of_squares(c, x));
  });
}

TEST_F(CalculusTest, UndefinedGradientsStaySo) {
  Arena arena;
  Calculus calculus(arena);
  const NodeId leaf = calculus.AddNode({});
  Node node;
  node.edges = absl::MakeConstSpan(&leaf, 1);
  const NodeId made = calculus.AddNode(node);
  const bool wanted[] = {true};
  EXPECT_FALSE(calculus.Differentiate(made, {}, wanted)[0].defined());
}

}  // namespace
}  // namespace twingrad::reference
