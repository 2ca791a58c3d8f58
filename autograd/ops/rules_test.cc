#include "autograd/ops/rules.h"

#include <gtest/gtest.h>

#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/test_gradients.h"
#include "autograd/tensor/kernels/arithmetic.h"

namespace twingrad::ops {
namespace {

Tensor Square(const Tensor& a) { return kernels::Mul(a, a); }

constexpr UnaryRule kSquare = {
    "square", "SquareBackward", Square, Saves::kOperand,
    [](const Tensor& g, const Tensor& x) { return Mul(Mul(Constant(2, x), x), g); }};

TEST(Unary, AppliesARule) {
  const Tensor x = Leaf({2}, {3, 4});
  const Tensor y = ApplyUnary(kSquare, x);
  EXPECT_EQ(Elements(y), (Doubles{9, 16}));
  EXPECT_EQ(GradientEdge(y).function->name(), "SquareBackward");
  EXPECT_EQ(Elements(Derive(y, {x})[0]), (Doubles{6, 8}));
}

TEST(Unary, InPlaceSavesAPrivateCopy) {
  const Tensor x = Leaf({2}, {3, 4});
  Tensor y = Neg(x);
  ApplyUnaryInPlace(kSquare, y);
  NegInPlace(y);
  EXPECT_EQ(Elements(y), (Doubles{-9, -16}));
  const Tensor first = Derive(y, {x}, true)[0];
  EXPECT_EQ(Elements(first), (Doubles{-6, -8}));
  EXPECT_EQ(Elements(Derive(first, {x})[0]), (Doubles{-2, -2}));
}

TEST(Unary, ReleasedAfterARunThatDoesNotKeepTheGraph) {
  const Tensor x = Leaf({}, {3});
  const Tensor y = ApplyUnary(kSquare, x);
  Backward(y);
  EXPECT_EQ(Elements(GradOf(x)), (Doubles{6}));
  EXPECT_EQ(KindOf([&] { Backward(y); }), ErrorKind::kFreed) << "released variables were used";
}

// What a task says that wants the gradient of one node alone.
class Only final : public ExecutionFilter {
 public:
  explicit Only(const Node* node) : node_(node) {}
  bool ShouldExecute(const Node* node) const override { return node == node_; }

 private:
  const Node* node_;
};

// mul saves a only for b's gradient, so a write to a does no harm where b needs none.
// Rules: K1.
TEST(Binary, SavesOnlyWhatIsNeeded) {
  const Tensor x = Leaf({}, {3});
  Tensor constant = Values({}, {2});
  Tensor variable = Neg(x);
  const Tensor y = Mul(variable, constant);
  NegInPlace(variable);
  EXPECT_EQ(Elements(Derive(y, {x})[0]), (Doubles{-2}));
  NegInPlace(constant);
  EXPECT_EQ(KindOf([&] { Backward(y); }), ErrorKind::kVersion);
}

TEST(Binary, InPlaceWithItselfIsToldApart) {
  const Tensor x = Leaf({}, {3});
  Tensor y = Neg(x);
  MulInPlace(y, y);
  EXPECT_EQ(Elements(y), (Doubles{9}));
  EXPECT_EQ(KindOf([&] { Backward(y); }), ErrorKind::kVersion);
  Tensor z = Neg(x);
  AddInPlace(z, z);
  EXPECT_EQ(Elements(Derive(z, {x})[0]), (Doubles{-2}));
}

TEST(Binary, ARepeatedOperandCountsTwice) {
  const Tensor x = Leaf({}, {3});
  EXPECT_EQ(Elements(Derive(Mul(x, x), {x})[0]), (Doubles{6}));
}

// Rules: D10.
TEST(Binary, UnusedSidesAreNotComputed) {
  const Tensor a = Leaf({2}, {1, 2}), b = Leaf({2}, {3, 4});
  const Tensor y = Mul(a, b);
  EXPECT_EQ(Elements(Derive(y, {b})[0]), (Doubles{1, 2}));
  EXPECT_FALSE(GradOf(a).defined());
  const Only only_b(GradientEdge(b).function.get());
  CurrentThread().filter = &only_b;
  const VariableList gradients = GradientEdge(y).function->Apply({Tensor::Ones({2}, DType::kF64)});
  CurrentThread().filter = nullptr;
  EXPECT_FALSE(gradients[0].defined());
  EXPECT_EQ(Elements(gradients[1]), (Doubles{1, 2}));
}

}  // namespace
}  // namespace twingrad::ops
