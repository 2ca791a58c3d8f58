// Operators: values, gradients, versions, constants and what they refuse.

#include "autograd/notation/operators.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/base/test_errors.h"
#include "autograd/graph/thread_state.h"
#include "autograd/graph/variable.h"
#include "autograd/notation/elements.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

using Doubles = std::vector<double>;

TEST(Operators, ComputeWithTensorsAndConstants) {
  const Tensor a = Tensor::FromData<double>({3}, {1, 2, 4});
  const Tensor b = Tensor::FromData<double>({3}, {8, 4, 2});
  EXPECT_EQ(Elements(a + b), (Doubles{9, 6, 6}));
  EXPECT_EQ(Elements(a - b), (Doubles{-7, -2, 2}));
  EXPECT_EQ(Elements(a * b), (Doubles{8, 8, 8}));
  EXPECT_EQ(Elements(a / b), (Doubles{0.125, 0.5, 2}));
  EXPECT_EQ(Elements(-a), (Doubles{-1, -2, -4}));
  EXPECT_EQ(Elements(a + 1), (Doubles{2, 3, 5}));
  EXPECT_EQ(Elements(1 + a), (Doubles{2, 3, 5}));
  EXPECT_EQ(Elements(a - 1), (Doubles{0, 1, 3}));
  EXPECT_EQ(Elements(1 - a), (Doubles{0, -1, -3}));
  EXPECT_EQ(Elements(a * 0.5), (Doubles{0.5, 1, 2}));
  EXPECT_EQ(Elements(0.5 * a), (Doubles{0.5, 1, 2}));
  EXPECT_EQ(Elements(a / 2), (Doubles{0.5, 1, 2}));
  EXPECT_EQ(Elements(2 / a), (Doubles{2, 1, 0.5}));
}

TEST(Operators, KeepTypeShapeAndHistory) {
  const Tensor f32 = Tensor::FromData<float>({1, 2}, {1, 2});
  EXPECT_EQ((2.5 * f32).dtype(), DType::kF32);
  EXPECT_EQ((2.5 * f32).sizes(), Ints({1, 2}));
  const Tensor i64 = Tensor::FromData<int64_t>({2}, {1, 2});
  EXPECT_EQ(Elements(i64 * 3 - 1), (Doubles{2, 5}));
  EXPECT_EQ((i64 * 3).dtype(), DType::kI64);
  EXPECT_EQ((Tensor::Ones({2}, DType::kF64, Device::Sim(1)) * 2).device(), Device::Sim(1));
  const Tensor x = Leaf(f32);
  EXPECT_EQ(GradientEdge(x * 2).function->name(), "MulBackward");
  EXPECT_FALSE(RequiresGrad(f32 * 2));
}

TEST(Operators, WriteInPlace) {
  Tensor a = Tensor::FromData<double>({2}, {1, 2});
  const Tensor same = a;
  a += a;
  a -= 1;
  a *= 2;
  a /= Tensor::FromData<double>({2}, {1, 4});
  EXPECT_EQ(Elements(a), (Doubles{2, 1.5}));
  EXPECT_TRUE(a.IsSameAs(same));
  EXPECT_EQ(a.version(), 4u);
  a.AsStrided({1}, {1}, 1) += 1;  // through a handle that ends
  EXPECT_EQ(Elements(a), (Doubles{2, 2.5}));
  const Tensor leaf = Leaf(a);
  EXPECT_EQ(KindOf([&] { Tensor(leaf) += 1; }), ErrorKind::kLeafInPlace);
  NoGradGuard no_grad;
  Tensor(leaf) += 1;
  EXPECT_EQ(Elements(leaf), (Doubles{3, 3.5}));
}

TEST(Operators, RefuseConstantsThatDoNotFitTheType) {
  const Tensor i64 = Tensor::FromData<int64_t>({2}, {1, 2});
  EXPECT_EQ(KindOf([&] { i64 * 2.5; }), ErrorKind::kDType);
  EXPECT_EQ(KindOf([&] { i64 + 0x1p63; }), ErrorKind::kDType);
  EXPECT_EQ(KindOf([&] { i64 + NAN; }), ErrorKind::kDType);
  EXPECT_EQ(KindOf([&] { Tensor::Ones({2}, DType::kBool) + 1; }), ErrorKind::kDType);
  EXPECT_EQ(KindOf([&] { Tensor() + 1; }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { Tensor() + i64; }), ErrorKind::kUndefined);
  try {
    i64 * 2.5;
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "[operator] the constant 2.5 beside a tensor of i64; a constant takes the "
        "tensor's type: any beside floats, whole numbers of its range beside integers; cast the "
        "tensor first");
  }
}

}  // namespace
}  // namespace twingrad
