// Functions: dimensions from the end, inferred sizes, defaults; each is compared with the operation
// it stands for, and errors are the operation's.

#include "autograd/notation/functions.h"

#include <functional>
#include <utility>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/base/test_errors.h"
#include "autograd/graph/variable.h"
#include "autograd/notation/elements.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

using Doubles = std::vector<double>;

Tensor Numbers(Ints shape) {
  Doubles numbers;
  for (int64_t i = 0; i < ElementCount(shape); ++i)
    numbers.push_back(static_cast<double>(i * i % 7));
  return Tensor::FromData<double>(shape, numbers);
}

void ExpectSame(const Tensor& a, const Tensor& b) {
  EXPECT_TRUE(a.HasSameTypeAs(b)) << ShapeToString(a.sizes()) << " " << ShapeToString(b.sizes());
  EXPECT_EQ(Elements(a), Elements(b));
}

TEST(Functions, ReductionsCountFromTheEnd) {
  const Tensor a = Numbers({2, 3, 4});
  const std::pair<Tensor (*)(const Tensor&, Ints, bool), Tensor (*)(const Tensor&, Ints, bool)>
      kReductions[] = {{Sum, ops::Sum},   {Mean, ops::Mean}, {Prod, ops::Prod},
                       {Amax, ops::Amax}, {Amin, ops::Amin}, {Logsumexp, ops::Logsumexp}};
  for (const auto& [function, op] : kReductions) {
    ExpectSame(function(a, {-1, 0}, true), op(a, {2, 0}, true));
    ExpectSame(function(a, {-2}, false), op(a, {1}, false));
    EXPECT_THROW(function(a, {-4}, false), Error);
    EXPECT_THROW(function(a, {-1, 2}, false), Error);
  }
  ExpectSame(Sum(a), ops::Sum(a, {}, false));
}

TEST(Functions, AlongOneDimension) {
  const Tensor a = Numbers({2, 3, 4});
  ExpectSame(Softmax(a, -1), ops::Softmax(a, 2));
  ExpectSame(LogSoftmax(a, -3), ops::LogSoftmax(a, 0));
  ExpectSame(Cumsum(a, -2), ops::Cumsum(a, 1));
  ExpectSame(Sort(a, -1), ops::Sort(a, 2, false));
  ExpectSame(Argsort(a, -1, true), ops::Argsort(a, 2, true));
  ExpectSame(Max(a, -1), ops::Max(a, 2, false));
  ExpectSame(Min(a, -2, true), ops::Min(a, 1, true));
  ExpectSame(Argmax(a, -1), ops::Argmax(a, 2, false));
  ExpectSame(Argmin(a, -1), ops::Argmin(a, 2, false));
  ExpectSame(Topk(a, 2), ops::Topk(a, 2, 2));
  ExpectSame(TopkIndices(a, 1, -2), ops::TopkIndices(a, 1, 1));
  ExpectSame(Cummax(a, -1), ops::Cummax(a, 2));
  ExpectSame(Cummin(a, -3), ops::Cummin(a, 0));
  ExpectSame(CummaxIndices(a, -1), ops::CummaxIndices(a, 2));
  const auto same = [](const ValuesAndIndices& both, const Tensor& values, const Tensor& indices) {
    ExpectSame(both.values, values);
    ExpectSame(both.indices, indices);
  };
  same(CummaxWithIndices(a, -1), Cummax(a, 2), CummaxIndices(a, 2));
  same(CumminWithIndices(a, -2), Cummin(a, 1), CumminIndices(a, 1));
  same(TopkWithIndices(a, 1), Topk(a, 1), TopkIndices(a, 1));
  same(SortWithIndices(a, -1), Sort(a, 2), Argsort(a, 2));
  same(MaxWithIndices(a, -1), Max(a, 2), Argmax(a, 2));
  same(MinWithIndices(a, 0, true), Min(a, 0, true), Argmin(a, 0, true));
  ExpectSame(CumminIndices(a, -1), ops::CumminIndices(a, 2));
  EXPECT_EQ(KindOf([&] { Softmax(a, -4); }), ErrorKind::kIndex);
  EXPECT_EQ(KindOf([&] { Softmax(Tensor(), -1); }), ErrorKind::kUndefined);
}

TEST(Functions, Parts) {
  const Tensor a = Numbers({2, 3});
  ExpectSame(AsStrided(a, {2, 2}, {1, 2}), ops::AsStrided(a, {2, 2}, {1, 2}, 0));
  const auto expect_same = [](const VariableList& parts, const VariableList& expected) {
    ASSERT_EQ(parts.size(), expected.size());
    for (size_t k = 0; k < parts.size(); ++k) ExpectSame(parts[k], expected[k]);
  };
  expect_same(Unbind(a, -1), ops::Unbind(a, 1));
  expect_same(Split(a, 2, -1), ops::Split(a, 1, 2));
  expect_same(Chunk(a, 2), ops::Chunk(a, 0, 2));
}

TEST(Functions, PlacesAndLists) {
  const Tensor a = Numbers({2, 3});
  const Tensor b = Numbers({2, 2});
  const Tensor index = Tensor::FromData<int64_t>({2}, {1, 0});
  const Tensor table = Tensor::FromData<int64_t>({2, 1}, {2, 0});
  ExpectSame(Cat({a, b}, -1), ops::Cat({&a, &b}, 1));
  ExpectSame(Stack({a, a}, -1), ops::Stack({&a, &a}, 2));
  ExpectSame(Flip(a, {-1}), ops::Flip(a, {1}));
  ExpectSame(Einsum("ij,ik->jk", {a, b}), ops::Einsum({&a, &b}, "ij,ik->jk"));
  ExpectSame(IndexSelect(a, -1, index), ops::IndexSelect(a, 1, index));
  ExpectSame(Gather(a, -1, table), ops::Gather(a, 1, table));
  const Tensor source = Numbers({2, 1});
  ExpectSame(ScatterAdd(a, -1, table, source), ops::ScatterAdd(a, 1, table, source));
  ExpectSame(Index(a, {index, index}), ops::Index(a, {&index, &index}));
  const Tensor mask = Tensor::FromData<bool>({2, 3}, {true, false, true, false, false, true});
  ExpectSame(Index(a, {mask}), ops::Index(a, {&mask}, 3));
  ExpectSame(MaskedSelect(a, mask), ops::MaskedSelect(a, mask, 3));
  ExpectSame(IndexPut(a, {index}, a, true), ops::IndexPut(a, a, {&index}, true));
  ExpectSame(ScatterReduce(a, -1, table, source, ScatterReduction::kProd),
             ops::ScatterReduce(a, 1, table, source, ScatterReduction::kProd, true));
  const Tensor sparse = SparseCoo(a, Tensor::FromData<int64_t>({1, 2}, {1, 0}), {2, 3});
  ExpectSame(ToDense(sparse), ops::ToDense(sparse));
  ExpectSame(SparseValues(Coalesce(sparse)), ops::SparseValues(ops::Coalesce(sparse, 2)));
  ExpectSame(SparseIndices(Coalesce(sparse)), ops::SparseIndices(ops::Coalesce(sparse)));
  EXPECT_EQ(KindOf([] { Cat({}, -1); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { Stack({a, a}, -4); }), ErrorKind::kIndex);
}

TEST(Functions, ReshapeInfersOneSize) {
  const Tensor a = Numbers({2, 6});
  EXPECT_EQ(Reshape(a, {-1, 3}).sizes(), Ints({4, 3}));
  EXPECT_EQ(View(a, {3, -1, 2}).sizes(), Ints({3, 2, 2}));
  EXPECT_EQ(Reshape(a, {-1}).sizes(), Ints({12}));
  EXPECT_EQ(Reshape(Numbers({0, 3}), {-1, 3}).sizes(), Ints({0, 3}));
  EXPECT_EQ(KindOf([&] { Reshape(a, {-1, 5}); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Reshape(a, {-1, -1}); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Reshape(Numbers({0, 3}), {-1, 0}); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Reshape(a, {-2, 6}); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([] { Reshape(Tensor(), {-1}); }), ErrorKind::kUndefined);
}

TEST(Functions, ViewsCountFromTheEnd) {
  const Tensor a = Numbers({2, 3, 4});
  ExpectSame(Transpose(a), ops::Transpose(a, 1, 2));
  ExpectSame(Transpose(a, 0, -1), ops::Transpose(a, 0, 2));
  ExpectSame(Permute(a, {-1, 0, 1}), ops::Permute(a, {2, 0, 1}));
  ExpectSame(Select(a, -1, -1), ops::Select(a, 2, 3));
  ExpectSame(Slice(a, -1, -3, -1), ops::Slice(a, 2, 1, 3, 1));
  ExpectSame(Slice(a, 1, -100, 2), ops::Slice(a, 1, 0, 2, 1));
  ExpectSame(Slice(a, 1, 0, -100), ops::Slice(a, 1, 0, 0, 1));
  ExpectSame(Slice(a, 1, 1), ops::Slice(a, 1, 1, 3, 1));
  ExpectSame(Unsqueeze(a, -1), ops::Unsqueeze(a, 3));
  ExpectSame(Squeeze(Unsqueeze(a, 0), {-4}), a);
  ExpectSame(Expand(Numbers({3, 1}), {2, -1, 4}), ops::Expand(Numbers({3, 1}), {2, 3, 4}));
  EXPECT_EQ(KindOf([&] { Select(a, 0, -3); }), ErrorKind::kIndex);
  EXPECT_EQ(KindOf([&] { Select(a, -4, 0); }), ErrorKind::kIndex);
  EXPECT_THROW(Expand(Numbers({3}), {-1, 3}), Error);
}

TEST(Functions, ConstantsArePowersToo) {
  const Tensor a = Tensor::FromData<double>({2}, {2, 3});
  EXPECT_EQ(Elements(Pow(a, 2)), (Doubles{4, 9}));
  EXPECT_EQ(Elements(Pow(2, a)), (Doubles{4, 8}));
}

}  // namespace
}  // namespace twingrad
