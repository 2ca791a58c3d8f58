// Tensors as text: every type, rank and state, and that long ones are abridged.

#include "autograd/notation/print.h"

#include <cmath>
#include <sstream>
#include <vector>

#include "autograd/graph/variable.h"
#include "autograd/notation/elements.h"
#include "autograd/notation/functions.h"
#include "autograd/notation/operators.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

TEST(Print, AlignsElementsOfEveryType) {
  EXPECT_EQ(ToString(Tensor::FromData<double>({2, 2}, {1, 2.718281828, NAN, -INFINITY})),
            "[[      1, 2.71828],\n"
            " [    nan,    -inf]]\n"
            "f64[2,2] on cpu");
  EXPECT_EQ(ToString(Tensor::FromData<int64_t>({3}, {-1, 20, 3})), "[-1, 20,  3]\ni64[3] on cpu");
  EXPECT_EQ(ToString(Tensor::FromData<bool>({2}, {true, false})), "[ true, false]\nbool[2] on cpu");
  EXPECT_EQ(ToString(Tensor::Scalar(-0.0, DType::kF32, Device::Sim(0))), "-0\nf32[] on sim:0");
  EXPECT_EQ(ToString(Tensor::Zeros({2, 0}, DType::kF64)), "[[],\n []]\nf64[2,0] on cpu");
  EXPECT_EQ(ToString(Tensor()), "undefined");
  EXPECT_EQ(ToString(Tensor::FromData<double>({2, 1, 2}, {1, 2, 3, 4})),
            "[[[1, 2]],\n\n [[3, 4]]]\nf64[2,1,2] on cpu");
}

TEST(Print, SaysWhatTheTensorIsToTheGraph) {
  const Tensor x = Leaf(Tensor::Scalar(2));
  EXPECT_EQ(Describe(x), "f64[] on cpu, requires grad");
  EXPECT_EQ(Describe(x * x), "f64[] on cpu, node MulBackward");
  EXPECT_EQ(Describe(Unsqueeze(x, 0)), "f64[1] on cpu, node UnsqueezeBackward, view");
  EXPECT_EQ(Describe(Detach(x)), "f64[] on cpu");
  std::ostringstream stream;
  stream << x;
  EXPECT_EQ(stream.str(), "2\nf64[] on cpu, requires grad");
}

TEST(Print, AbridgesLongDimensionsOnly) {
  std::vector<double> numbers(2002);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
  EXPECT_EQ(ToString(Tensor::FromData<double>({2, 1001}, numbers)),
            "[[   0,    1,    2, ...,  998,  999, 1000],\n"
            " [1001, 1002, 1003, ..., 1999, 2000, 2001]]\n"
            "f64[2,1001] on cpu");
  const std::string tall = ToString(Tensor::FromData<double>({1001, 2}, numbers), {.edge = 1});
  EXPECT_EQ(tall, "[[   0,    1],\n ...,\n [2000, 2001]]\nf64[1001,2] on cpu");
}

TEST(Print, DigitsAreTheCallers) {
  const Tensor third = Tensor::Scalar(1.0 / 3);
  EXPECT_EQ(ToString(third, {.digits = 2}), "0.33\nf64[] on cpu");
  EXPECT_EQ(ToString(third, {.digits = 17}), "0.33333333333333331\nf64[] on cpu");
}

}  // namespace
}  // namespace twingrad
