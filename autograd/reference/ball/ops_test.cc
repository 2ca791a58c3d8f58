// Values and derivatives to third order of each op at special points, against closed forms.
//
// A function of one variable is composed as y = op(x); then y', y'' and y''' come from calls with
// create_graph, of which the last is a backward.

#include <cmath>
#include <functional>
#include <set>
#include <string>

#include "autograd/program/signature.h"
#include "autograd/reference/ball/test_ball.h"

namespace twingrad::reference::ball {
namespace {

constexpr double kError = 1e-14;  // of the closed forms below, in f64

// y, y', y'' and y''' at x, where `op` is what comes behind `%y =`.
void ExpectDerivatives(const std::string& op, double x, const std::vector<double>& expected,
                       double error = kError) {
  const BallRun run(absl::StrCat("%x = leaf type=f64[] data=", x, " grad=1\n%y = ", op,
                                 "\n%d = grad %y inputs=%x create_graph=1\n"
                                 "%e = grad %d inputs=%x create_graph=1 materialize=1\n"
                                 "backward %e\n"));
  ASSERT_EQ(run.result().refusal, Refusal::kNone) << op;
  EXPECT_EQ(run.result().order, 3);
  ExpectNumbers(run.Value("y"), {expected[0]}, op, error);
  ExpectNumbers(run.Value("d"), {expected[1]}, op, error);
  ExpectNumbers(run.Value("e"), {expected[2]}, op, error);
  ExpectNumbers(run.Grad("x"), {expected[3]}, op, error);
}

TEST(BallOps, ElementaryFunctions) {
  const double e = std::exp(0.5), s = std::sin(0.5), c = std::cos(0.5);
  ExpectDerivatives("exp %x", 0, {1, 1, 1, 1}, 0);
  ExpectDerivatives("exp %x", 0.5, {e, e, e, e});
  ExpectDerivatives("log %x", 1, {0, 1, -1, 2}, 0);
  ExpectDerivatives("log %x", 0.5, {std::log(0.5), 2, -4, 16});
  ExpectDerivatives("sqrt %x", 4, {2, 0.25, -0.03125, 0.01171875}, 0);
  ExpectDerivatives("sin %x", 0, {0, 1, 0, -1}, 0);
  ExpectDerivatives("sin %x", 0.5, {s, c, -s, -c});
  ExpectDerivatives("cos %x", 0, {1, 0, -1, 0}, 0);
  ExpectDerivatives("cos %x", 0.5, {c, -s, -c, s});
  ExpectDerivatives("tanh %x", 0, {0, 1, 0, -2}, 0);
  const double t = std::tanh(0.5), u = 1 - t * t;
  ExpectDerivatives("tanh %x", 0.5, {t, u, -2 * t * u, u * (4 * t * t - 2 * u)});
  ExpectDerivatives("sigmoid %x", 0, {0.5, 0.25, 0, -0.125}, 0);
  const double p = 1 / (1 + std::exp(-0.5)), q = p * (1 - p);
  ExpectDerivatives("sigmoid %x", 0.5, {p, q, q * (1 - 2 * p), q * (1 - 6 * q)});
  ExpectDerivatives("custom %x do=square", 3, {9, 6, 2, 0}, 0);
  ExpectDerivatives("custom %x do=exp", 0, {1, 1, 1, 1}, 0);
}

TEST(BallOps, ProductsQuotientsAndPowers) {
  ExpectDerivatives("mul %x %x", 3, {9, 6, 2, 0}, 0);
  ExpectDerivatives("add %x %x", 3, {6, 2, 0, 0}, 0);
  ExpectDerivatives("sub %x %x", 3, {0, 0, 0, 0}, 0);
  ExpectDerivatives("neg %x", 3, {-3, -1, 0, 0}, 0);
  ExpectDerivatives("div %x %x", 3, {1, 0, 0, 0}, 0);
  ExpectDerivatives("mse_loss %x %x", 3, {0, 0, 0, 0}, 0);
  ExpectDerivatives("clone %x", 3, {3, 1, 0, 0}, 0);
  // x^x: y' = y (log x + 1), and so on.
  const double y = 4, l = std::log(2) + 1;
  ExpectDerivatives("pow %x %x", 2,
                    {y, y * l, y * (l * l + 0.5), y * (l * l * l + 1.5 * l - 0.25)});
}

// Of each f(a, b) the first derivatives, and the mixed one as the gradient of da with respect to b.
void ExpectMixed(const std::string& op, double a, double b, double da, double db, double dadb,
                 double error = kError) {
  const BallRun run(absl::StrCat("%a = leaf type=f64[] data=", a, " grad=1\n",
                                 "%b = leaf type=f64[] data=", b, " grad=1\n%y = ", op,
                                 " %a %b\n%da,%db = grad %y inputs=%a,%b create_graph=1\n"
                                 "backward %da\n"));
  ASSERT_EQ(run.result().refusal, Refusal::kNone) << op;
  ExpectNumbers(run.Value("da"), {da}, op, error);
  ExpectNumbers(run.Value("db"), {db}, op, error);
  ExpectNumbers(run.Grad("b"), {dadb}, op, error);
}

TEST(BallOps, MixedDerivatives) {
  ExpectMixed("mul", 3, 5, 5, 3, 1, 0);
  ExpectMixed("div", 3, 4, 0.25, -0.1875, -0.0625, 0);
  ExpectMixed("mse_loss", 3, 5, -4, 4, -2, 0);
  ExpectMixed("sub", 3, 5, 1, -1, 0, 0);
  ExpectMixed("maximum", 3, 5, 0, 1, 0, 0);
  ExpectMixed("minimum", 3, 5, 1, 0, 0, 0);
  // a^b at b = 0: no convention holds where the function is smooth.
  ExpectMixed("pow", 4, 0, 0, std::log(4), 0.25);
  ExpectMixed("pow", 2, 3, 12, 8 * std::log(2), 4 + 12 * std::log(2));
}

TEST(BallOps, PowersAtZeroAndOfNegativeNumbers) {
  const BallRun run(
      "%a = leaf type=f64[3] data=0,-2,-2 grad=1\n%b = leaf type=f64[3] data=2,3,-1\n"
      "%y = pow %a %b\n%s = sum %y\n%d = grad %s inputs=%a create_graph=1\n%t = sum %d\n"
      "backward %t\n");
  ExpectNumbers(run.Value("y"), {0, -8, -0.5}, "pow");
  ExpectNumbers(run.Value("d"), {0, 12, -0.25}, "pow");
  ExpectNumbers(run.Grad("a"), {2, -12, -0.25}, "pow");
  // Of 0 to 2.5 two derivatives exist; along b nothing is known at a negative a.
  const BallRun odd(
      "%a = leaf type=f64[2] data=0,-2 grad=1\n%b = leaf type=f64[2] data=2.5,3 grad=1\n"
      "%y = pow %a %b\n%s = sum %y\nbackward %s\n");
  ExpectNumbers(odd.Value("y"), {0, -8}, "pow");
  ExpectNumbers(odd.Grad("a"), {0, 12}, "pow");
  ExpectNumbers({odd.Grad("b")[0]}, {0}, "pow");
  EXPECT_FALSE(odd.Grad("b")[1].IsKnown());
}

// One gradient of sum(weights * op) for each operand, at points where it is unique.
struct LinearCase {
  std::string leaves;  // %x and what else there is
  std::string op;
  std::string weights;  // of the result: a leaf's type and data
  std::vector<double> value;
  std::vector<double> gradient;  // to %x
};

TEST(BallOps, OpsThatMoveAndAddElements) {
  const std::string x = "%x = leaf type=f64[2,3] data=3,1,2,6,5,4 grad=1\n";
  const std::string i = "%i = leaf type=i64[2] data=2,2\n";
  const LinearCase cases[] = {
      {x, "sum %x dims=1", "f64[2] data=1,10", {6, 15}, {1, 1, 1, 10, 10, 10}},
      {x, "mean %x dims=0", "f64[3] data=2,4,6", {4.5, 3, 3}, {1, 2, 3, 1, 2, 3}},
      {x, "prod %x dims=1", "f64[2] data=1,10", {6, 120}, {2, 6, 3, 200, 240, 300}},
      {x, "amax %x dims=1", "f64[2] data=1,10", {3, 6}, {1, 0, 0, 10, 0, 0}},
      {x, "amin %x dims=0", "f64[3] data=1,2,3", {3, 1, 2}, {1, 2, 3, 0, 0, 0}},
      {x, "max %x dim=1", "f64[2] data=1,10", {3, 6}, {1, 0, 0, 10, 0, 0}},
      {x, "min %x dim=1", "f64[2] data=1,10", {1, 4}, {0, 1, 0, 0, 0, 10}},
      {x,
       "cumsum %x dim=1",
       "f64[2,3] data=1,2,3,4,5,6",
       {3, 4, 6, 6, 11, 15},
       {6, 5, 3, 15, 11, 6}},
      {x, "sort %x dim=1", "f64[2,3] data=1,2,3,4,5,6", {1, 2, 3, 4, 5, 6}, {3, 1, 2, 6, 5, 4}},
      {x,
       "sort %x dim=1 descending=1",
       "f64[2,3] data=1,2,3,4,5,6",
       {3, 2, 1, 6, 5, 4},
       {1, 3, 2, 4, 5, 6}},
      {x, "flip %x dims=0", "f64[2,3] data=1,2,3,4,5,6", {6, 5, 4, 3, 1, 2}, {4, 5, 6, 1, 2, 3}},
      {x,
       "cat %x %x dim=0",
       "f64[4,3] data=1,2,3,4,5,6,10,20,30,40,50,60",
       {3, 1, 2, 6, 5, 4, 3, 1, 2, 6, 5, 4},
       {11, 22, 33, 44, 55, 66}},
      {x,
       "stack %x %x dim=2",
       "f64[2,3,2] data=1,10,2,20,3,30,4,40,5,50,6,60",
       {3, 3, 1, 1, 2, 2, 6, 6, 5, 5, 4, 4},
       {11, 22, 33, 44, 55, 66}},
      {x + i,
       "index_select %x %i dim=1",
       "f64[2,2] data=1,2,3,4",
       {2, 2, 4, 4},
       {0, 0, 3, 0, 0, 7}},
      {x + "%i = leaf type=i64[2,2] data=0,2,1,1\n",
       "gather %x %i dim=1",
       "f64[2,2] data=1,2,3,4",
       {3, 2, 5, 5},
       {1, 0, 2, 0, 7, 0}},
      {x + "%i = leaf type=i64[1,3] data=1,0,1\n%y = leaf type=f64[1,3] data=10,20,30\n",
       "scatter_add %x %i %y dim=0",
       "f64[2,3] data=1,2,3,4,5,6",
       {3, 21, 2, 16, 5, 34},
       {1, 2, 3, 4, 5, 6}},
      {x + "%c = leaf type=bool[3] data=1,0,1\n%y = leaf type=f64[] data=7\n",
       "where %c %x %y",
       "f64[2,3] data=1,2,3,4,5,6",
       {3, 7, 2, 6, 7, 4},
       {1, 0, 3, 4, 0, 6}},
      {x,
       "clamp %x min=1.5 max=4.5",
       "f64[2,3] data=1,2,3,4,5,6",
       {3, 1.5, 2, 4.5, 4.5, 4},
       {1, 0, 3, 0, 0, 6}},
      {x, "cast %x to=f32", "f32[2,3] data=1,2,3,4,5,6", {3, 1, 2, 6, 5, 4}, {1, 2, 3, 4, 5, 6}},
      {x,
       "to %x device=dev:0",
       "f64[2,3] data=1,2,3,4,5,6 device=dev:0",
       {3, 1, 2, 6, 5, 4},
       {1, 2, 3, 4, 5, 6}},
      {x,
       "transpose %x dims=0,1",
       "f64[3,2] data=1,2,3,4,5,6",
       {3, 6, 1, 5, 2, 4},
       {1, 3, 5, 2, 4, 6}},
      {x,
       "permute %x dims=1,0",
       "f64[3,2] data=1,2,3,4,5,6",
       {3, 6, 1, 5, 2, 4},
       {1, 3, 5, 2, 4, 6}},
      {x, "view %x shape=6", "f64[6] data=1,2,3,4,5,6", {3, 1, 2, 6, 5, 4}, {1, 2, 3, 4, 5, 6}},
      {x,
       "reshape %x shape=3,2",
       "f64[3,2] data=1,2,3,4,5,6",
       {3, 1, 2, 6, 5, 4},
       {1, 2, 3, 4, 5, 6}},
      {x, "select %x dim=1 index=2", "f64[2] data=1,10", {2, 4}, {0, 0, 1, 0, 0, 10}},
      {x,
       "slice %x dim=1 start=0 step=2",
       "f64[2,2] data=1,2,3,4",
       {3, 2, 6, 4},
       {1, 0, 2, 3, 0, 4}},
      {x,
       "unsqueeze %x dim=1",
       "f64[2,1,3] data=1,2,3,4,5,6",
       {3, 1, 2, 6, 5, 4},
       {1, 2, 3, 4, 5, 6}},
      {"%x = leaf type=f64[2,1] data=3,4 grad=1\n",
       "squeeze %x",
       "f64[2] data=1,10",
       {3, 4},
       {1, 10}},
      {"%x = leaf type=f64[2,1] data=3,4 grad=1\n",
       "expand %x shape=2,2",
       "f64[2,2] data=1,2,3,4",
       {3, 3, 4, 4},
       {3, 7}},
      {"%x = leaf type=f64[3] data=-2,3,-4 grad=1\n",
       "relu %x",
       "f64[3] data=1,2,3",
       {0, 3, 0},
       {0, 2, 0}},
      {"%x = leaf type=f64[3] data=-2,3,-4 grad=1\n",
       "abs %x",
       "f64[3] data=1,2,3",
       {2, 3, 4},
       {-1, 2, -3}},
      {"%x = leaf type=f64[3] data=-2,3,-4 grad=1\n",
       "sgn %x",
       "f64[3] data=1,2,3",
       {-1, 1, -1},
       {0, 0, 0}},
      {x + "%b = leaf type=f64[3,2] data=1,2,3,4,5,6\n",
       "matmul %x %b",
       "f64[2,2] data=1,2,3,4",
       {16, 22, 41, 56},
       {5, 11, 17, 11, 25, 39}},
      {x + "%b = leaf type=f64[3] data=1,10,100\n",
       "matmul %x %b",
       "f64[2] data=1,2",
       {213, 456},
       {1, 10, 100, 2, 20, 200}},
      {x + "%a = leaf type=f64[2] data=1,2\n%b = leaf type=f64[3,2] data=1,2,3,4,5,6\n",
       "addmm %a %x %b",
       "f64[2,2] data=1,2,3,4",
       {17, 24, 42, 58},
       {5, 11, 17, 11, 25, 39}},
      {x + "%b = leaf type=f64[2,3] data=1,1,1,1,1,1\n",
       "mse_loss %x %b reduction=none",
       "f64[2,3] data=1,2,3,4,5,6",
       {4, 0, 1, 25, 16, 9},
       {4, 0, 6, 40, 40, 36}},
  };
  for (const LinearCase& c : cases) {
    const BallRun run(absl::StrCat(c.leaves, "%r = ", c.op, "\n%w = leaf type=", c.weights,
                                   "\n%p = mul %r %w\n%s = sum %p\nbackward %s\n"));
    ASSERT_EQ(run.result().refusal, Refusal::kNone) << c.op;
    ExpectNumbers(run.Value("r"), c.value, c.op);
    ExpectNumbers(run.Grad("x"), c.gradient, c.op);
  }
}

TEST(BallOps, SoftmaxAndLogSumExp) {
  const double a = std::exp(1), b = std::exp(2), z = a + b, p = a / z, q = b / z;
  const std::string x = "%x = leaf type=f64[2] data=1,2 grad=1\n";
  const std::string call =
      "%w = leaf type=f64[2] data=1,3\n%m = mul %y %w\n%s = sum %m\nbackward %s\n";
  const BallRun soft(x + "%y = softmax %x dim=0\n" + call);
  ExpectNumbers(soft.Value("y"), {p, q}, "softmax", kError);
  ExpectNumbers(soft.Grad("x"), {-2 * p * q, 2 * p * q}, "softmax", kError);
  const BallRun log(x + "%y = log_softmax %x dim=0\n" + call);
  ExpectNumbers(log.Value("y"), {std::log(p), std::log(q)}, "log_softmax", kError);
  ExpectNumbers(log.Grad("x"), {1 - 4 * p, 3 - 4 * q}, "log_softmax", kError);
  const BallRun sum(x +
                    "%y = logsumexp %x\n%d = grad %y inputs=%x create_graph=1\n"
                    "%w = leaf type=f64[2] data=1,0\nbackward %d seeds=%w\n");
  ExpectNumbers(sum.Value("y"), {std::log(z)}, "logsumexp", kError);
  ExpectNumbers(sum.Value("d"), {p, q}, "logsumexp", kError);
  ExpectNumbers(sum.Grad("x"), {p * q, -p * q}, "logsumexp", kError);
  const BallRun loss(x + "%t = leaf type=i64[] data=1\n%y = cross_entropy %x %t\nbackward %y\n");
  ExpectNumbers(loss.Value("y"), {-std::log(q)}, "cross_entropy", kError);
  ExpectNumbers(loss.Grad("x"), {p, -p}, "cross_entropy", kError);
}

// Integers wrap and are exact; here cast to f64 to be seen.
TEST(BallOps, Integers) {
  const auto expect = [](const std::string& op, const std::vector<double>& numbers) {
    const BallRun run(absl::StrCat(
        "%x = leaf type=i64[3] data=3,-2,3\n%y = leaf type=i64[3] data=2,5,0\n",
        "%big = leaf type=i64[1] data=9223372036854775807\n%f = leaf type=f64[3] data=0.5,2,2\n",
        "%r = ", op, "\n%z = cast %r to=f64\n"));
    ExpectNumbers(run.Value("z"), numbers, op);
  };
  expect("add %x %y", {5, 3, 3});
  expect("sub %x %y", {1, -7, 3});
  expect("mul %x %y", {6, -10, 0});
  expect("mul %big %big", {1});
  expect("add %big %x", {-0x1p63 + 2, 0x1p63 - 3, -0x1p63 + 2});
  expect("pow %x %y", {9, -32, 1});
  expect("neg %x", {-3, 2, -3});
  expect("abs %x", {3, 2, 3});
  expect("relu %x", {3, 0, 3});
  expect("sgn %x", {1, -1, 1});
  expect("maximum %x %y", {3, 5, 3});
  expect("minimum %x %y", {2, -2, 0});
  expect("sum %x", {4});
  expect("prod %x", {-18});
  expect("amax %x", {3});
  expect("cumsum %x dim=0", {3, 1, 4});
  expect("sort %x dim=0", {-2, 3, 3});
  expect("argsort %x dim=0", {1, 0, 2});
  expect("argsort %x dim=0 descending=1", {0, 2, 1});
  expect("argmax %x dim=0", {0});
  expect("argmin %x dim=0", {1});
  expect("argmax %f dim=0", {1});
  expect("argmin %f dim=0", {0});
  expect("argsort %f dim=0 descending=1", {1, 2, 0});
  expect("matmul %x %y", {-4});
  expect("cast %x to=bool", {1, 1, 1});
}

// A kink's derivative is the hull of Clarke's generalized gradient; the value is never excused.
TEST(BallOps, KinksAreHulls) {
  const auto expect = [](const std::string& op, double x, double least, double greatest) {
    const BallRun run(
        absl::StrCat("%x = leaf type=f64[] data=", x, " grad=1\n%y = ", op, "\nbackward %y\n"));
    const Enclosure ball = run.Grad("x")[0];
    EXPECT_EQ(ball.Distance(least), 0) << op;
    EXPECT_EQ(ball.Distance(greatest), 0) << op;
    EXPECT_GT(ball.Distance(least - 1e-6), 0) << op;
    EXPECT_GT(ball.Distance(greatest + 1e-6), 0) << op;
    EXPECT_TRUE(run.Value("y")[0].IsPoint()) << op;
  };
  expect("relu %x", 0, 0, 1);
  expect("abs %x", 0, -1, 1);
  expect("clamp %x min=1", 1, 0, 1);
  expect("clamp %x max=1", 1, 0, 1);
  expect("maximum %x %x", 1, 1, 1);  // there is none: both are one number
  const BallRun tie("%x = leaf type=f64[3] data=2,2,1 grad=1\n%y = amax %x\nbackward %y\n");
  for (const double share : {0.0, 0.5, 1.0}) EXPECT_EQ(tie.Grad("x")[0].Distance(share), 0);
  ExpectNumbers({tie.Grad("x")[2]}, {0}, "amax");
  const BallRun jump("%x = leaf type=f64[] grad=1\n%y = sgn %x\nbackward %y\n");
  EXPECT_FALSE(jump.Grad("x")[0].IsKnown());
}

TEST(BallOps, InPlaceOpsAreThoseThatTheyPerform) {
  for (const program::Signature& signature : program::Signatures()) {
    if (signature.category != program::Category::kInPlace || signature.performs == signature.op) {
      continue;
    }
    const auto& performed = program::SignatureOf(signature.performs);
    const std::string second = signature.min_operands == 2 ? " %b" : "";
    const std::string begin =
        "%x = leaf type=f64[2] data=0.5,2 grad=1\n%b = leaf type=f64[2] data=3,0.25 grad=1\n"
        "%y = clone %x\n";
    const std::string end = "%s = sum %r\nbackward %s\n";
    const BallRun apart(
        absl::StrCat(begin, "%r = ", std::string(performed.name), " %y", second, "\n", end));
    const BallRun in_place(
        absl::StrCat(begin, std::string(signature.name), " %y", second, "\n%r = clone %y\n", end));
    EXPECT_EQ(apart.Value("r"), in_place.Value("r")) << signature.name;
    EXPECT_EQ(apart.Grad("x"), in_place.Grad("x")) << signature.name;
    EXPECT_EQ(apart.Grad("b"), in_place.Grad("b")) << signature.name;
  }
}

}  // namespace
}  // namespace twingrad::reference::ball
