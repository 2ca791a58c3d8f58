// GradCheck: right functions pass, and each way of being wrong is found and
// named.

#include "autograd/gradcheck/gradcheck.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/graph/node.h"
#include "autograd/graph/variable.h"
#include "autograd/notation/elements.h"
#include "autograd/notation/functions.h"
#include "autograd/notation/operators.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

using Tensors = std::vector<Tensor>;

Tensor Of(Ints shape, const std::vector<double>& numbers) {
  return Leaf(Tensor::FromData<double>(shape, numbers));
}

// x², whose gradient a user got wrong: `factor` x g instead of 2 x g, plus
// `offset`.
class WrongSquare final : public Node {
 public:
  WrongSquare(const Tensor& x, double factor, double offset)
      : x_(x), factor_(factor), offset_(offset) {}
  VariableList Apply(VariableList&& g) override { return {factor_ * x_ * g[0] + offset_}; }
  std::string_view name() const override { return "WrongSquare"; }

 private:
  const Tensor x_;
  const double factor_;
  const double offset_;
};

TensorListFunction Square(double factor, double offset = 0) {
  return [=](const Tensors& in) {
    Tensor y;
    {
      NoGradGuard no_grad;
      y = in[0] * in[0];
    }
    RecordNode(MakeNode<WrongSquare>(in[0], factor, offset), y, in[0]);
    return Tensors{y};
  };
}

TEST(GradCheck, PassesRightFunctions) {
  const Tensor x = Of({2, 2}, {0.3, -1.2, 2.5, 0.7});
  const Tensor w = Of({2}, {1.5, -0.25});
  const TensorListFunction kRight[] = {
      [](const Tensors& in) { return Tensors{Matmul(in[0], in[1])}; },
      [](const Tensors& in) {
        return Tensors{Tanh(in[0] * in[1]), Exp(in[1])};
      },
      [](const Tensors& in) { return Tensors{Softmax(in[0] + in[1], -1)}; },
      [](const Tensors& in) { return Tensors{Pow(in[0] * in[0] + 1, in[1])}; },
      [](const Tensors& in) { return Tensors{Sum(in[0]) * 1e-12 * in[1]}; },
      [](const Tensors& in) { return Tensors{in[1]}; },
      [](const Tensors& in) {
        return Tensors{
            CrossEntropy(in[0], Tensor::FromData<int64_t>({2}, {0, 1}), Reduction::kMean) *
            Sum(in[1])};
      },
  };
  for (const TensorListFunction& f : kRight) {
    const GradCheckReport first = GradCheck(f, {x, w});
    EXPECT_TRUE(first.ok()) << first.text();
    EXPECT_TRUE(first.unclear.empty()) << first.text();
    const GradCheckReport second = GradGradCheck(f, {x, w});
    EXPECT_TRUE(second.ok()) << second.text();
  }
  EXPECT_EQ(GradCheck(kRight[0], {x, w}).text(), "[gradcheck] 12 elements agree");
}

TEST(GradCheck, VariesOnlyInputsThatRequireGrad) {
  const Tensor x = Of({2}, {1, 2});
  const Tensor index = Tensor::FromData<int64_t>({3}, {1, 0, 1});
  const auto pick = [](const Tensors& in) { return Tensors{IndexSelect(in[1] * in[1], 0, in[0])}; };
  const GradCheckReport report = GradCheck(pick, {index, x});
  EXPECT_TRUE(report.ok()) << report.text();
  EXPECT_EQ(report.compared, 6);
  EXPECT_TRUE(GradGradCheck(pick, {index, x}).ok());
}

TEST(GradCheck, NamesTheWorstElementOfAWrongGradient) {
  const Tensor x = Of({2}, {1, 3});
  EXPECT_TRUE(GradCheck(Square(2), {x}).ok());
  const GradCheckReport report = GradCheck(Square(3), {x});
  EXPECT_FALSE(report.ok());
  ASSERT_EQ(report.wrong.size(), 2u);
  EXPECT_EQ(
      report.text().find("[gradcheck] 2 of 4 elements are wrong; the worst is output 0 at [1] "
                         "by input 0 at [1]: the gradient is 9, differences give 6 within "),
      0u)
      << report.text();
  EXPECT_EQ(report.wrong[0].gradient, 9);
  EXPECT_NEAR(report.wrong[0].slope, 6, 1e-9);
}

TEST(GradCheck, FindsSmallAndSparseErrors) {
  const Tensor x = Of({3}, {1, -2, 0.5});
  EXPECT_FALSE(GradCheck(Square(2 * (1 + 1e-8)), {x}).ok());
  EXPECT_FALSE(GradCheck(Square(2, 1e-9), {x}).ok());
  EXPECT_FALSE(GradCheck(Square(-2), {x}).ok());
  EXPECT_FALSE(GradCheck(Square(NAN), {x}).ok());
  // A gradient cut off by detach: the product's second factor.
  EXPECT_FALSE(
      GradCheck([](const Tensors& in) { return Tensors{in[0] * Detach(in[0])}; }, {x}).ok());
}

TEST(GradCheck, SecondDerivativesFindWhatFirstOnesMiss) {
  // The gradient is right, but is computed from a constant: its own derivative
  // is lost.
  class Constant final : public Node {
   public:
    explicit Constant(const Tensor& x) : x_(Detach(x)) {}
    VariableList Apply(VariableList&& g) override { return {3 * x_ * x_ * g[0]}; }
    std::string_view name() const override { return "Cube"; }

   private:
    const Tensor x_;
  };
  const auto cube = [](const Tensors& in) {
    Tensor y;
    {
      NoGradGuard no_grad;
      y = in[0] * in[0] * in[0];
    }
    RecordNode(MakeNode<Constant>(in[0]), y, in[0]);
    return Tensors{y};
  };
  const Tensor x = Of({2}, {1, 2});
  EXPECT_TRUE(GradCheck(cube, {x}).ok());
  const GradCheckReport report = GradGradCheck(cube, {x}, 5);
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(report.wrong[0].input, 0u);
  EXPECT_NE(report.text().find("\nseed 5"), std::string::npos);
}

TEST(GradCheck, ReportsKinksAndDoesNotJudgeThem) {
  const auto relu = [](const Tensors& in) { return Tensors{Relu(in[0])}; };
  const GradCheckReport report = GradCheck(relu, {Of({3}, {-1, 0, 2})});
  EXPECT_TRUE(report.ok()) << report.text();
  ASSERT_EQ(report.kinks.size(), 1u);
  EXPECT_EQ(report.kinks[0].row, std::vector<int64_t>{1});
  EXPECT_EQ(report.text(),
            "[gradcheck] 8 elements agree\n1 not compared at "
            "kinks; the first is output 0 at [1] by "
            "input 0 at [1]: slopes 0 and 1, the gradient is 0");
  const GradCheckReport none = GradCheck(relu, {Of({1}, {0})});
  EXPECT_FALSE(none.ok());
  EXPECT_EQ(none.compared, 0);
}

TEST(GradCheck, ReportsFunctionsThatAreNone) {
  const Tensor x = Of({2}, {1, 2});
  int calls = 0;
  const auto counts = [&](const Tensors& in) { return Tensors{in[0] * ++calls}; };
  EXPECT_EQ(GradCheck(counts, {x}).text(),
            "[gradcheck] the function gives other values when it is called again");
  EXPECT_EQ(GradCheck([](const Tensors& in) { return Tensors{Sqrt(in[0])}; }, {Of({1}, {0})})
                .unclear.size(),
            1u);
}

TEST(GradCheck, RefusesOtherTypes) {
  const auto same = [](const Tensors& in) { return in; };
  const auto kind_of = [](const TensorListFunction& f, const Tensor& x) {
    try {
      GradCheck(f, {x});
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::kInternal;
  };
  EXPECT_EQ(kind_of(same, Tensor::Scalar(1)), ErrorKind::kInvalidArgument);
  EXPECT_EQ(kind_of(same, Leaf(Tensor::Scalar(1, DType::kF32))), ErrorKind::kDType);
  const auto narrow = [](const Tensors& in) { return Tensors{Cast(in[0], DType::kF32)}; };
  EXPECT_EQ(kind_of(narrow, Of({}, {1})), ErrorKind::kDType);
  EXPECT_EQ(kind_of([](const Tensors&) { return Tensors{Tensor()}; }, Of({}, {1})),
            ErrorKind::kUndefined);
}

}  // namespace
}  // namespace twingrad
