#include "autograd/ops/copy.h"

#include <gtest/gtest.h>

#include "autograd/base/error.h"
#include "autograd/graph/view.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

// Rules: D10.
TEST(Copy, GradientsPassThrough) {
  const Tensor x = Leaf({2}, {1.5, -2});
  EXPECT_EQ(Elements(Derive(Clone(x), {x})[0]), (Doubles{1, 1}));
  const Tensor narrow = Cast(x, DType::kF32);
  EXPECT_EQ(narrow.dtype(), DType::kF32);
  const Tensor gradient = Derive(narrow, {x})[0];
  EXPECT_EQ(gradient.dtype(), DType::kF64);
  EXPECT_EQ(Elements(gradient), (Doubles{1, 1}));
  const Tensor far = To(x, Device::Sim(1));
  EXPECT_EQ(far.device(), Device::Sim(1));
  EXPECT_EQ(Derive(far, {x})[0].device(), Device::Cpu());
}

TEST(Copy, IntegersAndDetachEndTheGraph) {
  const Tensor x = Leaf({2}, {1.5, -2});
  EXPECT_FALSE(RequiresGrad(Cast(x, DType::kI64)));
  EXPECT_EQ(Elements(Cast(x, DType::kI64)), (Doubles{1, -2}));
  const Tensor d = Detach(x);
  EXPECT_FALSE(RequiresGrad(d));
  EXPECT_FALSE(IsView(d));
  EXPECT_TRUE(d.HasSameStorage(x));
}

TEST(Copy, CopyInPlace) {
  const Tensor x = Leaf({2}, {1, 2}), w = Leaf({1}, {5});
  Tensor y = Mul(x, x);
  CopyInPlace(y, w);
  EXPECT_EQ(Elements(y), (Doubles{5, 5}));
  const auto gradients = Derive(y, {x, w});
  EXPECT_EQ(Elements(gradients[0]), (Doubles{0, 0}));
  EXPECT_EQ(Elements(gradients[1]), (Doubles{2}));
  // From a constant: the old history is dropped, too.
  Tensor z = Mul(x, x);
  CopyInPlace(z, Values({2}, {3, 4}));
  EXPECT_TRUE(RequiresGrad(z));
  EXPECT_EQ(Elements(Derive(z, {x})[0]), (Doubles{0, 0}));
}

TEST(Copy, ZeroInPlace) {
  const Tensor x = Leaf({2}, {1, 2});
  Tensor y = Mul(x, x);
  ZeroInPlace(y);
  EXPECT_EQ(Elements(y), (Doubles{0, 0}));
  EXPECT_EQ(Elements(Derive(y, {x})[0]), (Doubles{0, 0}));
  Tensor leaf = Leaf({1}, {1});
  EXPECT_THROW(ZeroInPlace(leaf), Error);
}

TEST(Copy, Refusals) {
  Tensor y = Values({2}, {1, 2});
  EXPECT_THROW(CopyInPlace(y, Values({3}, {1, 2, 3})), Error);
  EXPECT_THROW(CopyInPlace(y, Cast(y, DType::kF32)), Error);
  EXPECT_THROW(CopyInPlace(y, To(y, Device::Sim(0))), Error);
  EXPECT_THROW(Clone(Tensor()), Error);
}

}  // namespace
}  // namespace twingrad::ops
