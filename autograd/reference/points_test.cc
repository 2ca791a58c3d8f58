// The table of points against both witnesses, at kinks, beside them and far away; and against its
// page.

#include "autograd/reference/points.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "autograd/program/signature.h"
#include "autograd/reference/legal.h"
#include "autograd/reference/test_program.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

using program::Opcode;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string Text(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  char text[40];
  std::snprintf(text, sizeof text, "%a", x);
  return text;
}

// Kinks and the numbers beside them, ends of domains, and others.
std::vector<double> ManyNumbers() {
  std::vector<double> numbers = {kInfinity, -kInfinity, std::nan(""), 1000, -1000,
                                 0.3,       -0.3,       1.5,          3};
  for (const double x : {1.0, -1.0, 2.0, -2.0, 0.5}) {
    for (const double y : {x, std::nextafter(x, 5), std::nextafter(x, -5)}) numbers.push_back(y);
  }
  // What is nearer to 0 has an inverse that overflows.
  for (const double x : {0.0, 1e-100, -1e-100}) numbers.push_back(x);
  return numbers;
}

// Whether a power or its slope is beyond the format, or an operand infinite (but for a positive one
// to the power of 1 or more, or of 0), about which the table says nothing.
bool IsBeyond(Opcode op, double a, double b) {
  if (op != Opcode::kPow || std::isnan(a) || std::isnan(b)) return false;
  if (std::isinf(b)) return true;
  if (a == 0) return false;
  if (std::isinf(a)) return b != 0 && !(a > 0 && b >= 1);
  return std::isinf(std::pow(a, b)) || std::isinf(b * std::pow(a, b - 1));
}

// The gradient of an op at a point, as both witnesses have it.
struct Slopes {
  std::string what;
  DualResult dual;
  LegalAnswers legal;
  double bound = 0;
  double twin = 0;
};

Slopes SlopesAt(const PointRow& row, double a, double b, bool by_b) {
  const program::Signature& signature = program::SignatureOf(row.op);
  std::string text = "%a = leaf type=f64[] data=" + Text(a) + (by_b ? "" : " grad=1") + "\n";
  const bool binary = signature.min_operands == 2;
  if (binary) text += "%b = leaf type=f64[] data=" + Text(b) + (by_b ? " grad=1" : "") + "\n";
  text += "%y = " + std::string(signature.name) + " %a" + (binary ? " %b" : "") +
          std::string(row.attributes) + "\nbackward %y\n";
  const TwinRun twin(text);
  const auto& record = twin.result().observation.values[by_b ? 1 : 0];
  return {text, RunDual(twin.program()), FindLegalAnswers(twin.program()),
          twin.result().grad_bounds[by_b ? 1 : 0].Of(0), Numbers(record.grad).at(0)};
}

void Check(const Slopes& at, const Point& point, bool by_b) {
  ASSERT_EQ(at.dual.not_applicable, "") << at.what;
  const DualTensor& gradient = at.dual.grads[by_b ? 1 : 0];
  const double slope = gradient.data.at(0), bound = gradient.BoundOf(0);
  const LegalRange range = at.legal.RangeOf(by_b ? 1 : 0, true, 0);
  switch (point.kind) {
    case PointClass::kSmooth:
      EXPECT_TRUE(at.dual.kinks.empty()) << at.what;
      EXPECT_TRUE(std::isfinite(slope)) << at.what << slope;
      EXPECT_LT(bound, 1e-9 * (1 + std::fabs(slope))) << at.what;
      if (std::isinf(at.bound)) return;
      EXPECT_LE(std::fabs(slope - at.twin), bound + at.bound) << at.what;
      return;
    case PointClass::kKink:
      EXPECT_EQ(at.dual.kinks.size(), 1u) << at.what;
      EXPECT_EQ(range.low, point.low) << at.what;
      EXPECT_EQ(range.high, point.high) << at.what;
      EXPECT_EQ(slope, at.twin) << at.what;
      EXPECT_TRUE(point.low <= at.twin && at.twin <= point.high) << at.what;
      return;
    case PointClass::kJump:
      EXPECT_EQ(at.dual.kinks.size(), 1u) << at.what;
      EXPECT_EQ(at.twin, 0) << at.what;
      EXPECT_EQ(range.high, kInfinity) << at.what;
      return;
    case PointClass::kBoundary:
      EXPECT_TRUE(at.dual.kinks.empty()) << at.what;
      EXPECT_EQ(std::fabs(slope), std::fabs(point.low)) << at.what;
      EXPECT_LE(bound, std::isinf(slope) ? 0 : std::fabs(slope) * 0x1p-48) << at.what;
      EXPECT_EQ(std::fabs(at.twin), std::fabs(point.low)) << at.what;
      return;
    case PointClass::kUndefined:
      EXPECT_TRUE(std::isnan(slope)) << at.what << slope;
      EXPECT_FALSE(range.known) << at.what;
      return;
  }
}

TEST(PointsTest, TheWitnessesFollowTheTable) {
  const std::vector<double> numbers = ManyNumbers();
  int checked = 0;
  for (const PointRow& row : Points()) {
    if (row.by_a == nullptr) continue;
    for (const double a : numbers) {
      for (const double b : numbers) {
        if (IsBeyond(row.op, a, b)) continue;
        Check(SlopesAt(row, a, b, false), row.by_a(a, b), false);
        ++checked;
        if (row.by_b == nullptr) break;
        Check(SlopesAt(row, a, b, true), row.by_b(a, b), true);
      }
    }
  }
  EXPECT_GT(checked, 4000);
}

TEST(PointsTest, OtherOpsHaveKinksAtTiesAlone) {
  const std::string leaf = "%x = leaf type=f64[3] data=", grad = " grad=1\n";
  for (const auto& [data, ties] : {std::pair("2,2,1", 1u), {"0,0,0", 1u}, {"1,2,3", 0u}}) {
    const std::string x = leaf + data + grad;
    for (const char* statement :
         {"amax %x", "max %x dim=0", "sort %x dim=0", "amin %x", "min %x dim=0"}) {
      const std::string text = x + "%y = " + statement + "\n%s = sum %y\nbackward %s\n";
      const bool least = statement[1] == 'm' ? statement[2] == 'i' : statement[1] == 'i';
      const bool tied = ties > 0 && !(least && data[4] == '1');
      const DualResult dual = RunDual(ParseOrThrow(text));
      EXPECT_EQ(dual.kinks.size(), tied ? 1u : 0u) << text;
    }
    for (const char* statement : {"sum %x",
                                  "mean %x",
                                  "prod %x",
                                  "logsumexp %x",
                                  "softmax %x dim=0",
                                  "log_softmax %x dim=0",
                                  "cumsum %x dim=0",
                                  "matmul %x %x",
                                  "flip %x dims=0",
                                  "cat %x %x dim=0",
                                  "stack %x %x dim=0",
                                  "index_select %x %i dim=0",
                                  "gather %x %i dim=0",
                                  "scatter_add %x %j %x dim=0",
                                  "mse_loss %x %x reduction=sum",
                                  "cross_entropy %x %c reduction=sum",
                                  "where %m %x %x",
                                  "clone %x",
                                  "detach %x",
                                  "cast %x to=f32",
                                  "to %x device=cpu",
                                  "argmax %x dim=0",
                                  "argsort %x dim=0",
                                  "view %x shape=3",
                                  "expand %x shape=2,3",
                                  "select %x dim=0 index=1"}) {
      const std::string text = x +
                               "%i = leaf type=i64[2] data=0,0\n%c = leaf type=i64[] data=1\n%j = "
                               "leaf type=i64[3] data=0,0,2\n" +
                               "%m = leaf type=bool[3] data=1,0,1\n%y = " + statement +
                               "\n%s = sum %x\nbackward %s\n";
      EXPECT_TRUE(RunDual(ParseOrThrow(text)).kinks.empty()) << text;
    }
  }
}

TEST(PointsTest, ThePageShowsTheTable) {
  std::ifstream file("autograd/semantics/s_kinks.md");
  std::stringstream page;
  page << file.rdbuf();
  const std::string text = page.str();
  const std::string table = PointsText();
  EXPECT_NE(text.find(table), std::string::npos)
      << "autograd/semantics/s_kinks.md must hold this table:\n"
      << table;
}

}  // namespace
}  // namespace twingrad::reference
