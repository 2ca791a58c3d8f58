// Sparse gradients through whole runs: sums in front of a node, `.grad`, captures, hooks, checks;
// and that what cannot take them says so. The function that makes them looks up rows of a table,
// whose gradient lists the rows that were looked up.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/engine/accumulate.h"
#include "autograd/engine/front_end.h"
#include "autograd/engine/validate.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/leaf.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/graph/thread_state.h"
#include "autograd/graph/variable.h"
#include "autograd/ops/ops.h"
#include "autograd/tensor/kernels/sparse.h"
#include "autograd/tensor/sparse.h"

namespace twingrad {
namespace {

Tensor Indices(const std::vector<int64_t>& rows) {
  return Tensor::FromData<int64_t>({1, static_cast<int64_t>(rows.size())}, rows);
}

// The rows of `table` as [rows.size(), 2], with a sparse gradient.
Tensor LookUp(const Tensor& table, const std::vector<int64_t>& rows) {
  Tensor result;
  {
    GradModeGuard no_grad(false);
    result = ops::IndexSelect(table, 0,
                              Tensor::FromData<int64_t>({static_cast<int64_t>(rows.size())}, rows));
  }
  NodePtr node =
      MakeNode<FunctionNode>([rows, sizes = Shape(table.sizes().begin(), table.sizes().end())](
                                 FunctionNode&, VariableList gradients) {
        VariableList results(1);
        if (gradients[0].defined()) results[0] = MakeSparse(sizes, Indices(rows), gradients[0]);
        return results;
      });
  node->AddNextEdge(GradientEdge(table));
  SetHistory(result, std::move(node));
  return result;
}

Tensor Table() {
  Tensor table = Tensor::FromData<double>({3, 2}, {1, 2, 3, 4, 5, 6});
  SetRequiresGrad(table, true);
  return table;
}

Tensor Total(const Tensor& a) { return ops::Sum(a, {}, false); }

std::vector<double> Dense(const Tensor& a) {
  const Tensor dense = a.is_sparse() ? kernels::ToDense(a) : a;
  return {dense.data<double>(), dense.data<double>() + dense.numel()};
}

// Rules: B6, J5, J7.
TEST(SparseGradientsTest, GradStaysSparseAndIsAddedToInPlace) {
  Tensor table = Table();
  Backward({Total(LookUp(table, {2, 0, 2}))});
  Tensor grad = GradOf(table);
  ASSERT_TRUE(grad.is_sparse());
  EXPECT_EQ(SparsePartsOf(grad).entries(), 3);
  EXPECT_EQ(Dense(grad), (std::vector<double>{1, 1, 0, 0, 2, 2}));
  Backward({Total(LookUp(table, {1, 2}))});
  EXPECT_TRUE(GradOf(table).IsSameAs(grad));
  EXPECT_EQ(grad.version(), 1u);
  EXPECT_EQ(Dense(grad), (std::vector<double>{1, 1, 1, 1, 3, 3}));
  // A dense gradient makes it dense: another tensor, and the old one stays as it was.
  Backward({Total(ops::Mul(table, table))});
  EXPECT_FALSE(GradOf(table).is_sparse());
  EXPECT_EQ(Dense(GradOf(table)), (std::vector<double>{3, 5, 7, 9, 13, 15}));
  EXPECT_EQ(Dense(grad), (std::vector<double>{1, 1, 1, 1, 3, 3}));
  // A dense one takes sparse ones in.
  Tensor dense = GradOf(table);
  Backward({Total(LookUp(table, {0}))});
  EXPECT_TRUE(GradOf(table).IsSameAs(dense));
  EXPECT_EQ(Dense(dense), (std::vector<double>{4, 6, 7, 9, 13, 15}));
}

// Rules: J5, J10.
TEST(SparseGradientsTest, OnlyPartsThatNobodyElseHoldsAreTakenOver) {
  GradModeGuard no_grad(false);
  Tensor table = Table();
  const NodePtr node = GradientEdge(table).function;
  Tensor values = Tensor::Ones({1, 2}, DType::kF64);
  const double* memory = values.data<double>();
  node->Apply({MakeSparse({3, 2}, Indices({1}), values)});
  EXPECT_NE(SparsePartsOf(GradOf(table)).values.data<double>(), memory);
  values.mutable_data<double>()[0] = 9;
  EXPECT_EQ(Dense(GradOf(table)), (std::vector<double>{0, 0, 1, 1, 0, 0}));

  SetGrad(table, Tensor());
  VariableList gradients;
  gradients.push_back(MakeSparse({3, 2}, Indices({1}), Tensor::Ones({1, 2}, DType::kF64)));
  memory = SparsePartsOf(gradients[0]).values.data<double>();
  node->Apply(std::move(gradients));
  EXPECT_EQ(SparsePartsOf(GradOf(table)).values.data<double>(), memory);
}

// Rules: I4.
TEST(SparseGradientsTest, SumsInFrontOfANode) {
  Tensor table = Table();
  Tensor both = ops::Add(Total(LookUp(table, {2, 0})), Total(LookUp(table, {2})));
  Backward({both}, {}, {.retain_graph = true});
  ASSERT_TRUE(GradOf(table).is_sparse());
  EXPECT_EQ(Dense(GradOf(table)), (std::vector<double>{1, 1, 0, 0, 2, 2}));
  // Mixed with a dense one, whichever comes first.
  for (const Tensor& mixed : {ops::Add(both, Total(table)), ops::Add(Total(table), both)}) {
    SetGrad(table, Tensor());
    Backward({mixed}, {}, {.retain_graph = true});
    EXPECT_EQ(Dense(GradOf(table)), (std::vector<double>{2, 2, 1, 1, 3, 3}));
  }

  GradModeGuard no_grad(false);
  const Tensor kept = Tensor::Ones({3, 2}, DType::kF64);
  Tensor sum = kept;
  AddGradient(sum, MakeSparse({3, 2}, Indices({0}), Tensor::Ones({1, 2}, DType::kF64)));
  EXPECT_EQ(Dense(kept), (std::vector<double>{1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(Dense(sum), (std::vector<double>{2, 2, 1, 1, 1, 1}));
  const double* memory = sum.data<double>();
  AddGradient(sum, MakeSparse({3, 2}, Indices({2}), Tensor::Ones({1, 2}, DType::kF64)));
  EXPECT_EQ(sum.data<double>(), memory);  // in place, as nobody else holds it
  Tensor sparse = MakeSparse({3, 2}, Indices({1}), Tensor::Ones({1, 2}, DType::kF64));
  AddGradient(sparse, std::move(sum));
  EXPECT_EQ(sparse.data<double>(), memory);
  EXPECT_EQ(Dense(sparse), (std::vector<double>{2, 2, 2, 2, 2, 2}));
}

// Rules: J8.
TEST(SparseGradientsTest, UnderCreateGraphTheyAreAddedOutOfPlace) {
  Tensor table = Table();
  Tensor y = LookUp(table, {1});
  VariableList first = Grad({Total(ops::Mul(y, y))}, {table}, {}, {.create_graph = true});
  ASSERT_TRUE(first[0].is_sparse());
  EXPECT_EQ(Dense(first[0]), (std::vector<double>{0, 0, 6, 8, 0, 0}));
  for (int count = 1; count <= 2; ++count) {
    Backward({Total(LookUp(table, {1}))}, {}, {.create_graph = true});
    EXPECT_TRUE(GradOf(table).is_sparse());
    EXPECT_EQ(Dense(GradOf(table))[2], count);
  }
}

TEST(SparseGradientsTest, ThoseOfAnEmbeddingHaveGradients) {
  Tensor table = Table();
  const auto total = [&] {
    const Tensor y = ops::Embedding(table, Tensor::FromData<int64_t>({3}, {2, 0, 2}), true);
    return Total(ops::Mul(ops::Mul(y, y), y));
  };
  // Beside a dense gradient and another sparse one in the same place.
  const Tensor all = ops::Add(ops::Add(total(), Total(ops::Mul(table, table))), total());
  const Tensor first = Grad({all}, {table}, {}, {.create_graph = true})[0];
  EXPECT_FALSE(first.is_sparse());
  EXPECT_EQ(Dense(first), (std::vector<double>{8, 28, 6, 8, 310, 444}));
  EXPECT_EQ(Dense(Grad({Total(first)}, {table})[0]), (std::vector<double>{14, 26, 2, 2, 122, 146}));
  const Tensor sparse = Grad({total()}, {table}, {}, {.create_graph = true})[0];
  ASSERT_TRUE(sparse.is_sparse());
  EXPECT_EQ(Dense(Grad({Total(ops::ToDense(sparse))}, {table})[0]),
            (std::vector<double>{6, 12, 0, 0, 60, 72}));
}

TEST(SparseGradientsTest, CapturesHooksAndRetainedOnes) {
  Tensor table = Table();
  Tensor copy = ops::Clone(table);  // passes gradients on as they are
  RetainGrad(copy);
  int calls = 0;
  RegisterHook(copy, [&](const Tensor& gradient) {
    ++calls;
    EXPECT_TRUE(gradient.is_sparse());
    return kernels::CastSparse(gradient, DType::kF64);
  });
  Tensor y = Total(LookUp(copy, {1, 1}));
  Backward({y}, {}, {.retain_graph = true});
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(Dense(GradOf(copy)), (std::vector<double>{0, 0, 2, 2, 0, 0}));
  EXPECT_EQ(Dense(GradOf(table)), (std::vector<double>{0, 0, 2, 2, 0, 0}));
  VariableList g = Grad({y}, {copy, table, copy}, {}, {.retain_graph = true});
  for (const Tensor& gradient : g) {
    EXPECT_TRUE(gradient.is_sparse());
    EXPECT_EQ(Dense(gradient), (std::vector<double>{0, 0, 2, 2, 0, 0}));
  }
  EXPECT_FALSE(SparsePartsOf(g[0]).values.HasSameStorage(SparsePartsOf(g[2]).values));
  RegisterHook(copy, [](const Tensor& gradient) { return kernels::ToDense(gradient); });
  EXPECT_EQ(KindOf([&] { Backward({y}); }), ErrorKind::kHook);  // another layout
}

TEST(SparseGradientsTest, OperationsRefuseThem) {
  const std::vector<Tensor (*)(const Tensor&)> kFunctions = {
      [](const Tensor& a) { return ops::Mul(a, a); },
      [](const Tensor& a) { return ops::Exp(a); },
      [](const Tensor& a) { return ops::Transpose(a, 0, 1); },
      [](const Tensor& a) { return ops::Slice(a, 0, 0, 2, 1); },
      [](const Tensor& a) { return ops::View(a, {6}); },
      [](const Tensor& a) {
        return ops::Expand(ops::Unsqueeze(a, 0), {4, 3, 2});
      },
      [](const Tensor& a) {
        return ops::Matmul(a, Tensor::Ones({2, 2}, DType::kF64));
      },
      [](const Tensor& a) { return ops::Softmax(a, 0); },
      [](const Tensor& a) {
        return ops::Add(a, Tensor::Ones({4, 1, 1}, DType::kF64));
      },
  };
  for (size_t i = 0; i < kFunctions.size(); ++i) {
    Tensor table = Table();
    Tensor y = kFunctions[i](table);
    const Shape sizes(y.sizes().begin(), y.sizes().end());
    Shape values = sizes;
    values[0] = 1;
    const Tensor seed = MakeSparse(sizes, Indices({0}), Tensor::Ones(values, DType::kF64));
    // Through the node of the operation, and as an operand.
    EXPECT_EQ(KindOf([&] { Backward({y}, {seed}); }), ErrorKind::kInvalidArgument) << i;
    EXPECT_EQ(KindOf([&] {
                kFunctions[i](MakeSparse({3, 2}, Indices({0}), Tensor::Ones({1, 2}, DType::kF64)));
              }),
              ErrorKind::kInvalidArgument)
        << i;
  }
  const Tensor sparse = MakeSparse({3}, Indices({0}), Tensor::Ones({1}, DType::kF64));
  EXPECT_EQ(KindOf([&] { SetRequiresGrad(sparse, true); }), ErrorKind::kInvalidArgument);
  Tensor plain = Tensor::Ones({3}, DType::kF64);
  EXPECT_EQ(KindOf([&] { ops::CopyInPlace(plain, sparse); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { SetData(plain, sparse); }), ErrorKind::kInvalidArgument);
}

// Rules: B6.
TEST(SparseGradientsTest, ChecksOfTheirTypes) {
  Tensor table = Table();
  const Edge edges[] = {GradientEdge(table)};
  const auto check = [&](const Tensor& gradient) {
    VariableList gradients = {gradient};
    ValidateGradients(edges, gradients, "test");
    return gradients[0];
  };
  const Tensor fits = MakeSparse({3, 2}, Indices({0}), Tensor::Ones({1, 2}, DType::kF64));
  EXPECT_TRUE(check(fits).IsSameAs(fits));
  const Tensor f32 = MakeSparse({3, 2}, Indices({0}), Tensor::Ones({1, 2}, DType::kF32));
  EXPECT_EQ(check(f32).dtype(), DType::kF64);
  EXPECT_TRUE(check(f32).is_sparse());
  // With its history.
  Tensor values = Tensor::Ones({1, 2}, DType::kF32);
  SetRequiresGrad(values, true);
  const Tensor cast = check(ops::SparseCoo(values, Indices({0}), {3, 2}));
  EXPECT_EQ(cast.dtype(), DType::kF64);
  EXPECT_TRUE(RequiresGrad(cast));
  const Tensor wide = MakeSparse({4, 3, 2}, Indices({0}), Tensor::Ones({1, 3, 2}, DType::kF64));
  EXPECT_EQ(KindOf([&] { check(wide); }), ErrorKind::kShape);
  const Tensor other = MakeSparse({3, 2}, Tensor::Zeros({1, 1}, DType::kI64, Device::Sim(0)),
                                  Tensor::Ones({1, 2}, DType::kF64, Device::Sim(0)));
  EXPECT_EQ(KindOf([&] { check(other); }), ErrorKind::kShape);
  SetGrad(table, fits);
  EXPECT_TRUE(GradOf(table).is_sparse());
}

// Rules: B6.
TEST(SparseGradientsTest, ASparseResultTakesDenseGradients) {
  Tensor result = MakeSparse({3, 2}, Indices({0, 2}), Tensor::Ones({2, 2}, DType::kF64));
  SetHistory(result, MakeNode<PassNode>());
  const Edge edges[] = {GradientEdge(result)};
  const auto check = [&](const Tensor& gradient) {
    VariableList gradients = {gradient};
    ValidateGradients(edges, gradients, "test");
    return gradients[0];
  };
  const Tensor dense = Tensor::Full({3, 2}, 7, DType::kF64);
  EXPECT_TRUE(check(dense).IsSameAs(dense));
  EXPECT_EQ(Dense(check(Tensor::Full({3, 2}, 7, DType::kF32))), Dense(dense));
  // Summed to the result's shape, as for a dense one.
  EXPECT_EQ(Dense(check(Tensor::Full({2, 3, 2}, 7, DType::kF64))), std::vector<double>(6, 14));
  EXPECT_EQ(KindOf([&] { check(Tensor::Ones({3, 4}, DType::kF64)); }), ErrorKind::kShape);
}

// Rules: B5, Q5.
TEST(GradDTypeTest, GradientsOfARunAreCastToIt) {
  Tensor x = MakeLeaf(3);
  Tensor y = ops::Mul(x, x);
  SetGradDType(x, DType::kF32);
  Backward({y}, {}, {.retain_graph = true});
  EXPECT_EQ(GradOf(x).dtype(), DType::kF32);
  EXPECT_EQ(GradOf(x).item<float>(), 6);
  EXPECT_EQ(Grad({y}, {x}, {}, {.retain_graph = true})[0].dtype(), DType::kF32);
  // Any dtype: as it comes, later ones as what is there.
  SetGrad(x, Tensor());
  SetGradDType(x, std::nullopt);
  Backward({ops::Cast(x, DType::kF32)});
  EXPECT_EQ(GradOf(x).dtype(), DType::kF64);  // the cast's node gives the operand's dtype
  const NodePtr node = GradientEdge(x).function;
  SetGrad(x, Tensor());
  GradModeGuard no_grad(false);
  for (int count = 1; count <= 2; ++count) {
    VariableList gradients = {Tensor::Scalar(2, count == 1 ? DType::kF32 : DType::kF64)};
    const Edge edges[] = {{node, 0}};
    ValidateGradients(edges, gradients, "test");
    node->Apply(std::move(gradients));
    EXPECT_EQ(GradOf(x).item<float>(), 2 * count);
  }
  VariableList integers = {Tensor::Scalar(2, DType::kI64)};
  const Edge edges[] = {{node, 0}};
  EXPECT_EQ(KindOf([&] { ValidateGradients(edges, integers, "test"); }), ErrorKind::kDType);
}

}  // namespace
}  // namespace twingrad
