// Square matrices, as both witnesses take them: values, derivatives, and what rounding decides.

#include <cmath>
#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "autograd/reference/dual.h"
#include "autograd/reference/test_program.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

std::string Matrix(const std::string& data) {
  return absl::StrCat("%x = leaf type=f64[2,2] data=", data, " grad=1\n");
}

// The second derivative of the sum of the result's squares, by both witnesses.
constexpr char kTwice[] =
    "%q = mul %y %y\n%s = sum %q\n%g = grad %s inputs=%x create_graph=1\n%h = mul %g %w\n"
    "%t = sum %h\nbackward %t\n";

void ExpectSecond(const std::string& body, const Row& expected) {
  const std::string text = absl::StrCat(body, "%w = leaf type=f64[2,2] data=1,2,3,4\n", kTwice);
  const TwinRun twin(text);
  ASSERT_FALSE(twin.result().skipped.has_value()) << body << *twin.result().skipped;
  ASSERT_FALSE(twin.result().observation.error.has_value()) << body;
  const DualResult dual = RunDual(twin.program());
  ASSERT_EQ(dual.not_applicable, "") << body;
  const Row row = twin.Grad("x"), bounds = twin.GradBound("x");
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(row[i], expected[i], 1e-11) << body << i;
    EXPECT_NEAR(dual.grads[0].data[i], expected[i], 1e-11) << body << i;
    EXPECT_LE(std::fabs(row[i] - expected[i]), bounds[i]) << body << i;
    EXPECT_LE(bounds[i], 1e-9) << body << i;
  }
}

TEST(MatrixPrimitives, InverseLiesWithinANarrowBound) {
  const TwinRun run(Matrix("1,2,3,4") + "%y = inverse %x\n%s = sum %y\nbackward %s\n");
  const Row exact = {-2, 1, 1.5, -0.5}, row = run.Value("y"), bounds = run.ValueBound("y");
  const Row slopes = {-0.5, 0.5, 0.5, -0.5}, grad = run.Grad("x");
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_LE(std::fabs(row[i] - exact[i]), bounds[i]);
    EXPECT_GT(bounds[i], 1e-16);
    EXPECT_LE(bounds[i], 1e-12);
    EXPECT_NEAR(grad[i], slopes[i], 1e-12);
  }
  const TwinRun one("%x = leaf type=f32[1,1] data=4\n%y = inverse %x\n");
  EXPECT_EQ(one.Value("y"), Row{0.25});
  EXPECT_EQ(one.ValueBound("y"), Row{0});
}

TEST(MatrixPrimitives, SingularMatricesAreErrorsWhereNoRoundingHidesIt) {
  for (const char* data : {"1,2,1,2", "0,0,1,2", "0,1,0,2", "1,-1,2,-2"}) {
    EXPECT_EQ(TwinRun(Matrix(data) + "%y = inverse %x\n").Error(), ErrorKind::kDomain) << data;
  }
  for (const char* data : {"1,3,2,6", "1,1,1,1.0000000000000002", "inf,1,1,1", "nan,1,1,1"}) {
    EXPECT_TRUE(TwinRun(Matrix(data) + "%y = inverse %x\n").result().skipped.has_value()) << data;
  }
  EXPECT_FALSE(TwinRun(Matrix("1,1,1,1.0001") + "%y = inverse %x\n").result().skipped.has_value());
  EXPECT_TRUE(TwinRun("%x = leaf type=f64[7,7] seed=1\n%y = det %x\n").result().skipped);
}

// Of the square of the determinant, with cofactors c and weights w: 2 c times the sum of c w.
TEST(MatrixPrimitives, DetIsAPolynomialAtSingularMatrices) {
  ExpectSecond(Matrix("1,2,2,4") + "%y = det %x\n", {-16, 8, 8, -4});
  ExpectSecond(Matrix("0,0,0,0") + "%y = det %x\n", {0, 0, 0, 0});
}

TEST(MatrixPrimitives, DetCoversOtherWaysToIt) {
  const TwinRun run("%x = leaf type=f64[3,3] data=1,2,3,4,5,6,7,8,10\n%y = det %x\n");
  EXPECT_EQ(run.Value("y"), Row{-3});
  EXPECT_GT(run.ValueBound("y")[0], 1e-15);
  EXPECT_LE(run.ValueBound("y")[0], 1e-10);
}

// Cofactors are multiplied by it, or sums of products with it are made: 0 times infinity, and
// infinity less infinity, which is nowhere the same.
TEST(MatrixPrimitives, AnInfiniteGradientOfDetLeavesElementsOpen) {
  const std::string scaled = "%y = det %x\n%z = mul %y %s\nbackward %z\n";
  const TwinRun infinite(Matrix("1,0,2,3") + "%s = leaf type=f64[] data=inf\n" + scaled);
  for (const double bound : infinite.GradBound("x")) EXPECT_TRUE(std::isinf(bound));
  const TwinRun finite(Matrix("1,0,2,3") + "%s = leaf type=f64[] data=2\n" + scaled);
  EXPECT_EQ(finite.Grad("x"), (Row{6, -4, 0, 2}));
  for (const double bound : finite.GradBound("x")) EXPECT_LT(bound, 1e-10);
  const TwinRun number("%x = leaf type=f64[1,1] data=3 grad=1\n%s = leaf type=f64[] data=inf\n" +
                       scaled);
  EXPECT_EQ(number.GradBound("x"), Row{0});
}

TEST(MatrixPrimitives, SecondDerivatives) {
  ExpectSecond(Matrix("2,0,0,4") + "%y = inverse %x\n", {0.375, 0.296875, 0.25, 0.09375});
  ExpectSecond(Matrix("1,2,3,4") + "%y = inverse %x\n", {-91.5, 64.5, 40.5, -28.5});
  ExpectSecond(
      Matrix("2,nan,1,4") + "%e = leaf type=f64[2,2] data=1,0,0,1\n%y = solve_triangular %x %e\n",
      {0.3359375, 0, 0, 0.078125});
  ExpectSecond(Matrix("4,nan,4,20") +
                   "%v = leaf type=f64[2,2] data=1,1,2,3\n%l = cholesky %x\n%y = mul %v %l\n",
               {5, 0, -5, 0});
}

TEST(MatrixPrimitives, TrianglesAreRowsOfQuotients) {
  const std::string x = Matrix("2,nan,1,4");
  const TwinRun run(x +
                    "%b = leaf type=f64[2,1] data=2,9 grad=1\n%y = solve_triangular %x %b\n"
                    "%s = sum %y\nbackward %s\n");
  EXPECT_EQ(run.Value("y"), (Row{1, 2}));
  EXPECT_EQ(run.ValueBound("y"), (Row{0, 0}));
  EXPECT_EQ(run.Grad("x"), (Row{-0.375, 0, -0.25, -0.5}));
  EXPECT_EQ(run.Grad("b"), (Row{0.375, 0.25}));
}

TEST(MatrixPrimitives, NothingIsKnownBehindADiagonalWithZero) {
  const TwinRun run(Matrix("0,0,1,4") +
                    "%b = leaf type=f64[2,1] data=2,9 grad=1\n%y = solve_triangular %x %b\n"
                    "%s = sum %y\nbackward %s\n");
  EXPECT_TRUE(std::isinf(run.ValueBound("y")[0]));
  EXPECT_TRUE(std::isinf(run.GradBound("b")[0]));
  EXPECT_TRUE(std::isinf(run.GradBound("x")[0]));
}

TEST(MatrixPrimitives, CholeskyOfTheLowerTriangle) {
  const TwinRun run(Matrix("4,nan,4,20") + "%y = cholesky %x\n%s = sum %y\nbackward %s\n");
  EXPECT_EQ(run.Value("y"), (Row{2, 0, 2, 4}));
  EXPECT_EQ(run.Grad("x"), (Row{0.125, 0, 0.25, 0.125}));
  EXPECT_EQ(TwinRun(Matrix("1,2,2,1") + "%y = cholesky %x\n").Error(), ErrorKind::kDomain);
  EXPECT_EQ(TwinRun(Matrix("0,0,0,1") + "%y = cholesky %x\n").Error(), ErrorKind::kDomain);
  // 1/3 less the square of its root.
  const std::string third = "0x1.5555555555555p-2";
  const TwinRun open(Matrix(third + ",0," + third + "," + third) + "%y = cholesky %x\n");
  EXPECT_TRUE(open.result().skipped.has_value());
}

// Version errors follow what nodes save.
TEST(MatrixPrimitives, NodesSaveWhatTheTableSays) {
  const auto fails = [](const std::string& op, const std::string& written) {
    const TwinRun run(Matrix("4,0,4,20") + "%a = clone %x\n%b = clone %x\n%y = " + op + "\nneg_ %" +
                      written + "\n%s = sum %y\nbackward %s\n");
    return run.result().observation.error.has_value();
  };
  EXPECT_FALSE(fails("inverse %a", "a"));
  EXPECT_TRUE(fails("inverse %a", "y"));
  EXPECT_TRUE(fails("det %a", "a"));
  EXPECT_FALSE(fails("det %a", "y"));
  EXPECT_TRUE(fails("solve_triangular %a %b", "a"));
  EXPECT_FALSE(fails("solve_triangular %a %b", "b"));
  EXPECT_TRUE(fails("solve_triangular %a %b", "y"));
  EXPECT_FALSE(fails("cholesky %a", "a"));
  EXPECT_TRUE(fails("cholesky %a", "y"));
}

}  // namespace
}  // namespace twingrad::reference
