#include "autograd/program/result_type.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/program/analyze.h"
#include "autograd/program/limits.h"
#include "autograd/program/parse.h"

namespace twingrad::program {
namespace {

// The type of the last value of `%y = <statement>` after leaves %x of the first type and %z of the
// second.
std::string TypeOf(const std::string& x, const std::string& statement,
                   const std::string& z = "f64[]") {
  const auto program =
      Parse(absl::StrCat("twingrad 1\n%b = leaf type=bool[3,1]\n%x = leaf type=", x,
                         "\n%z = leaf type=", z, "\n%y = ", statement, "\n"));
  if (!program.ok()) return std::string(program.status().message());
  return TypeText(Analyze(*program)->values.back().type);
}

TEST(ResultType, Elementwise) {
  EXPECT_EQ(TypeOf("f64[2,1]", "add %x %z", "f64[3]"), "f64[2,3]");
  EXPECT_EQ(TypeOf("f64[2,1]", "add %z %x", "f64[0]"), "f64[2,0]");
  EXPECT_EQ(TypeOf("f32[]", "pow %x %z", "f32[1,1]"), "f32[1,1]");
  EXPECT_EQ(TypeOf("i64[2]", "neg %x"), "i64[2]");
  EXPECT_EQ(TypeOf("i64[]", "where %b %x %z", "i64[4]"), "i64[3,4]");
}

TEST(ResultType, Reductions) {
  EXPECT_EQ(TypeOf("f64[2,3,4]", "sum %x"), "f64[]");
  EXPECT_EQ(TypeOf("f64[2,3,4]", "sum %x keepdim=1"), "f64[1,1,1]");
  EXPECT_EQ(TypeOf("f64[2,3,4]", "mean %x dims=2,0"), "f64[3]");
  EXPECT_EQ(TypeOf("f64[2,3,4]", "mean %x dims=1 keepdim=1"), "f64[2,1,4]");
  EXPECT_EQ(TypeOf("f64[]", "sum %x"), "f64[]");
}

TEST(ResultType, Matmul) {
  EXPECT_EQ(TypeOf("f64[3]", "matmul %x %z", "f64[3]"), "f64[]");
  EXPECT_EQ(TypeOf("f64[3]", "matmul %x %z", "f64[3,4]"), "f64[4]");
  EXPECT_EQ(TypeOf("f64[2,3]", "matmul %x %z", "f64[3]"), "f64[2]");
  EXPECT_EQ(TypeOf("f64[2,3]", "matmul %x %z", "f64[3,4]"), "f64[2,4]");
  EXPECT_EQ(TypeOf("f64[5,1,2,3]", "matmul %x %z", "f64[6,3,4]"), "f64[5,6,2,4]");
  EXPECT_EQ(TypeOf("f64[3]", "matmul %x %z", "f64[6,3,4]"), "f64[6,4]");
  EXPECT_EQ(TypeOf("f64[6,2,3]", "matmul %x %z", "f64[3]"), "f64[6,2]");
  EXPECT_EQ(TypeOf("f64[2,0]", "matmul %x %z", "f64[0,4]"), "f64[2,4]");
}

TEST(ResultType, Views) {
  EXPECT_EQ(TypeOf("f64[2,3]", "view %x shape=3,2,1"), "f64[3,2,1]");
  EXPECT_EQ(TypeOf("f64[1]", "reshape %x shape=scalar"), "f64[]");
  EXPECT_EQ(TypeOf("f64[0,3]", "reshape %x shape=7,0"), "f64[7,0]");
  EXPECT_EQ(TypeOf("f64[2,3,4]", "transpose %x dims=0,2"), "f64[4,3,2]");
  EXPECT_EQ(TypeOf("f64[2,3,4]", "permute %x dims=2,0,1"), "f64[4,2,3]");
  EXPECT_EQ(TypeOf("f64[]", "permute %x"), "f64[]");
  EXPECT_EQ(TypeOf("f64[2,1]", "expand %x shape=4,2,3"), "f64[4,2,3]");
  EXPECT_EQ(TypeOf("f64[1]", "expand %x shape=0"), "f64[0]");
  EXPECT_EQ(TypeOf("f64[2,3]", "select %x dim=0 index=1"), "f64[3]");
  EXPECT_EQ(TypeOf("f64[2,5]", "slice %x dim=1 start=1"), "f64[2,4]");
  EXPECT_EQ(TypeOf("f64[2,5]", "slice %x dim=1 step=2"), "f64[2,3]");
  EXPECT_EQ(TypeOf("f64[2,5]", "slice %x dim=1 start=1 stop=99 step=3"), "f64[2,2]");
  EXPECT_EQ(TypeOf("f64[2,5]", "slice %x dim=1 start=9 stop=99"), "f64[2,0]");
  EXPECT_EQ(TypeOf("f64[2,5]", "slice %x dim=1 start=3 stop=1"), "f64[2,0]");
  EXPECT_EQ(TypeOf("f64[2,5]", "slice %x dim=1 step=9223372036854775807"), "f64[2,1]");
  EXPECT_EQ(TypeOf("f64[1,2,1]", "squeeze %x"), "f64[2]");
  EXPECT_EQ(TypeOf("f64[1,2,1]", "squeeze %x dims=0,1"), "f64[2,1]");
  EXPECT_EQ(TypeOf("f64[2]", "unsqueeze %x dim=1"), "f64[2,1]");
  EXPECT_EQ(TypeOf("f64[]", "unsqueeze %x dim=0"), "f64[1]");
}

TEST(ResultType, Copies) {
  EXPECT_EQ(TypeOf("f64[2]", "clone %x"), "f64[2]");
  EXPECT_EQ(TypeOf("f64[2]", "cast %x to=bool"), "bool[2]");
  EXPECT_EQ(TypeOf("f64[2]", "to %x device=dev:7"), "f64[2]");
}

TEST(ResultType, BroadcastingToAShape) {
  EXPECT_TRUE(BroadcastsTo({}, {}));
  EXPECT_TRUE(BroadcastsTo({}, {2, 0}));
  EXPECT_TRUE(BroadcastsTo({1, 3}, {2, 3}));
  EXPECT_FALSE(BroadcastsTo({2, 3}, {1, 3}));
  EXPECT_FALSE(BroadcastsTo({1, 3}, {3}));
}

TEST(ResultType, Limits) {
  std::string why;
  EXPECT_TRUE(WithinLimits({1024, 1024}, &why));
  EXPECT_TRUE(WithinLimits({0, kMaxElements}, &why));
  EXPECT_FALSE(WithinLimits({1024, 1025}, &why));
  EXPECT_FALSE(WithinLimits({0, kMaxElements + 1}, &why));
  EXPECT_FALSE(WithinLimits({int64_t{1} << 62, int64_t{1} << 62}, &why));
  EXPECT_TRUE(WithinLimits({1, 1, 1, 1, 1, 1}, &why));
  EXPECT_FALSE(WithinLimits({1, 1, 1, 1, 1, 1, 1}, &why));
}

}  // namespace
}  // namespace twingrad::program
