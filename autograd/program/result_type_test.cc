#include "autograd/program/result_type.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "autograd/program/analyze.h"
#include "autograd/program/element_text.h"
#include "autograd/program/limits.h"
#include "autograd/program/parse.h"

namespace twingrad::program {
namespace {

// The type of `%y = <statement>` on %x, %z and indices %i of the types given, and a bool %b; or the
// error.
std::string TypeOf(const std::string& x, const std::string& statement,
                   const std::string& z = "f64[]", const std::string& i = "i64[2]") {
  const auto program = Parse(
      absl::StrCat("twingrad 1\n%b = leaf type=bool[3,1]\n%x = leaf type=", x,
                   "\n%z = leaf type=", z, "\n%i = leaf type=", i, "\n%y = ", statement, "\n"));
  if (!program.ok()) return std::string(program.status().message());
  return TypeText(Analyze(*program)->values.back().type);
}

// Whether the statement is refused with a message that has `text` in it.
testing::AssertionResult Refused(const std::string& result, const std::string& text) {
  if (result.find(text) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << result;
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

TEST(ResultType, SumsOfProductsByAnEquation) {
  EXPECT_EQ(TypeOf("f64[2,3]", "einsum %x %z equation=ij,jk->ik", "f64[3,4]"), "f64[2,4]");
  EXPECT_EQ(TypeOf("f64[2,3]", "einsum %x equation=ij->ji"), "f64[3,2]");
  EXPECT_EQ(TypeOf("f64[3,3]", "einsum %x equation=ii->"), "f64[]");
  EXPECT_EQ(TypeOf("f64[0,3]", "einsum %x %z equation=ij,->j", "f64[]"), "f64[3]");
  EXPECT_TRUE(Refused(TypeOf("f64[2,3]", "einsum %x equation=ij,->j"), "for 1 operands"));
  EXPECT_TRUE(Refused(TypeOf("f64[2,3]", "einsum %x equation=ij->jj"), "occurs there once"));
  EXPECT_TRUE(Refused(TypeOf("f64[2,3]", "einsum %x equation=ii->i"), "a label has one size"));
  EXPECT_TRUE(Refused(TypeOf("f64[200,300]", "einsum %x %z equation=ij,kl->", "f64[300,200]"),
                      "a Program may have"));
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
  EXPECT_EQ(TypeOf("f64[2,3]", "t %x"), "f64[3,2]");
  EXPECT_EQ(TypeOf("f64[2]", "t %x"), "f64[2]");
  EXPECT_EQ(TypeOf("f64[2,0]", "alias %x"), "f64[2,0]");
}

TEST(ResultType, Strided) {
  EXPECT_EQ(TypeOf("f64[2,3]", "as_strided %x shape=2,2 start=1 stride=1,3"), "f64[2,2]");
  EXPECT_EQ(TypeOf("f64[6]", "as_strided %x shape=2,3,4 stride=0,1,1"), "f64[2,3,4]");
  EXPECT_EQ(TypeOf("f64[]", "as_strided %x shape=scalar stride=scalar"), "f64[]");
  EXPECT_EQ(TypeOf("f64[0]", "as_strided %x shape=0,4 stride=0,0"), "f64[0,4]");
  EXPECT_TRUE(Refused(TypeOf("f64[6]", "as_strided %x shape=2,3 start=1 stride=3,1"), "number 6"));
  EXPECT_TRUE(Refused(TypeOf("f64[6]", "as_strided %x shape=2 stride=1,1"), "one for each"));
  EXPECT_TRUE(Refused(TypeOf("f64[6]", "as_strided %x shape=2 stride=-1"), "0 to the number"));
  EXPECT_TRUE(
      Refused(TypeOf("f64[6]", "as_strided %x shape=2 start=7 stride=0"), "0 to the number"));
  EXPECT_TRUE(Refused(TypeOf("f64[0]", "as_strided %x shape=1 stride=0"), "number 0"));
}

TEST(ResultType, WhatIsPutInPlaceOfAViewHasItsShape) {
  const auto of = [](const std::string& statement) {
    return TypeOf("f64[2]", statement, "f64[2,3]");
  };
  EXPECT_EQ(of("diagonal_scatter %z %x dims=0,1"), "f64[2,3]");
  EXPECT_EQ(of("as_strided_scatter %z %x shape=2 stride=5"), "f64[2,3]");
  EXPECT_TRUE(Refused(of("select_scatter %z %x dim=0 index=0"), "view of [3]"));
  EXPECT_TRUE(Refused(of("select_scatter %z %x dim=1 index=3"), "index 3"));
  EXPECT_TRUE(Refused(of("as_strided_scatter %z %x shape=2 stride=0"), "element 0 twice"));
}

TEST(ResultType, DiagonalsAndWindows) {
  EXPECT_EQ(TypeOf("f64[2,3]", "diagonal %x dims=0,1"), "f64[2]");
  EXPECT_EQ(TypeOf("f64[2,5,3]", "diagonal %x dims=2,0 by=-1"), "f64[5,2]");
  EXPECT_EQ(TypeOf("f64[2,3]", "diagonal %x dims=0,1 by=-9223372036854775808"), "f64[0]");
  EXPECT_EQ(TypeOf("f64[2,3]", "diagonal %x dims=0,1 by=9223372036854775807"), "f64[0]");
  EXPECT_EQ(TypeOf("f64[5,2]", "unfold %x dim=0 step=2 count=3"), "f64[2,2,3]");
  EXPECT_EQ(TypeOf("f64[5]", "unfold %x dim=0 step=9223372036854775807 count=1"), "f64[1,1]");
  EXPECT_TRUE(Refused(TypeOf("f64[2,2,2]", "t %x"), "ranks 0 to 2"));
  EXPECT_TRUE(Refused(TypeOf("f64[2,3]", "diagonal %x dims=0,0"), "two dimensions that differ"));
  EXPECT_TRUE(Refused(TypeOf("f64[2,3]", "diagonal %x dims=0,2"), "0 to rank - 1"));
  EXPECT_TRUE(Refused(TypeOf("f64[2]", "unfold %x dim=0 count=3"), "1 to the size"));
  EXPECT_TRUE(Refused(TypeOf("f64[2]", "unfold %x dim=0 step=0 count=1"), "1 or more"));
}

TEST(ResultType, TheGreatest) {
  EXPECT_EQ(TypeOf("f64[2,3]", "topk %x dim=1 count=2"), "f64[2,2]");
  EXPECT_EQ(TypeOf("f32[2,3]", "topk_indices %x dim=0 count=0"), "i64[0,3]");
  EXPECT_EQ(TypeOf("i64[2,3]", "cummax %x dim=0"), "i64[2,3]");
  EXPECT_EQ(TypeOf("f64[2,3]", "cummin_indices %x dim=1"), "i64[2,3]");
  EXPECT_TRUE(Refused(TypeOf("f64[2]", "topk %x dim=0 count=3"), "0 to the size"));
  EXPECT_TRUE(Refused(TypeOf("f64[2]", "topk_indices %x dim=0 count=-1"), "0 to the size"));
}

TEST(ResultType, Masks) {
  EXPECT_EQ(TypeOf("f64[4]", "masked_fill %b %x by=2"), "f64[3,4]");
  EXPECT_EQ(TypeOf("i64[2,1]", "scatter %x %i %x dim=1", "f64[]", "i64[2,1]"), "i64[2,1]");
  EXPECT_TRUE(Refused(TypeOf("f64[4]", "masked_fill %x %x by=2"), "must be bool"));
  EXPECT_TRUE(Refused(TypeOf("i64[4]", "masked_fill %b %x by=0x1p-1"), "masked_fill on i64"));
  EXPECT_TRUE(Refused(TypeOf("f64[2]", "scatter %x %i %z dim=0", "f64[3]"), "must be equal"));
}

TEST(ResultType, IndicesInSeveralDimensions) {
  EXPECT_EQ(TypeOf("f64[3,4,5]", "index %x %i", "f64[]", "i64[2,1]"), "f64[2,1,4,5]");
  EXPECT_EQ(TypeOf("bool[3,4]", "index %x %i %i", "f64[]", "i64[0]"), "bool[0]");
  EXPECT_EQ(TypeOf("i64[3,1,4]", "index %x %b count=2"), "i64[2,4]");
  EXPECT_EQ(TypeOf("f32[3,4]", "index_put %x %z %i", "f32[4]", "i64[2]"), "f32[3,4]");
  EXPECT_EQ(TypeOf("f64[3,1]", "index_put %x %z %b count=0 accumulate=1", "f64[]"), "f64[3,1]");
  EXPECT_EQ(TypeOf("f64[4]", "masked_select %x %b count=6"), "f64[6]");
  EXPECT_EQ(TypeOf("f32[3]", "scatter_reduce %x %i %z dim=0 reduction=mean", "f32[2]"), "f32[3]");
  EXPECT_TRUE(Refused(TypeOf("f64[3]", "index %x %i %i", "f64[]", "i64[2]"), "or fewer, go"));
  EXPECT_TRUE(Refused(TypeOf("f64[2,2]", "index %x %b count=1"), "it must be [2,2]"));
  EXPECT_TRUE(Refused(TypeOf("f64[3,1]", "index %x %b"), "without count="));
  EXPECT_TRUE(Refused(TypeOf("f64[3,1]", "index %x %b count=4"), "0 to the size of the mask"));
  EXPECT_TRUE(Refused(TypeOf("f64[3]", "index %x %i count=1"), "with a mask alone"));
  EXPECT_TRUE(Refused(TypeOf("f64[3,1]", "index %x %b %i count=1"), "or one mask"));
  EXPECT_TRUE(Refused(TypeOf("f64[3]", "index_put %x %z %i", "f64[3]", "i64[2]"), "not broadcast"));
  EXPECT_TRUE(Refused(TypeOf("bool[3]", "index_put %x %x %i accumulate=1"), "adds no bool"));
  EXPECT_TRUE(Refused(TypeOf("f64[3]", "masked_select %x %i count=1"), "must be bool"));
  EXPECT_TRUE(Refused(TypeOf("f64[2,4]", "masked_select %x %b count=1"), "do not broadcast"));
  EXPECT_TRUE(
      Refused(TypeOf("i64[2]", "scatter_reduce %x %i %x dim=0 reduction=sum"), "f32 or f64"));
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

TEST(ResultType, Padding) {
  EXPECT_EQ(TypeOf("f64[2,3]", "pad %x pads=1,2"), "f64[2,6]");
  EXPECT_EQ(TypeOf("i64[2,0]", "pad %x pads=1,2,0,1"), "i64[3,3]");
  EXPECT_EQ(TypeOf("f64[1,2,3]", "pad_reflect %x pads=1,2"), "f64[1,2,6]");
  EXPECT_EQ(TypeOf("f64[0,2,3]", "pad_replicate %x pads=4,2"), "f64[0,2,9]");
  EXPECT_EQ(TypeOf("f64[1,2,3]", "pad_circular %x pads=3,3,2,0"), "f64[1,4,9]");
  EXPECT_EQ(TypeOf("bool[2,3]", "repeat %x shape=2,1,3"), "bool[2,2,9]");
  EXPECT_EQ(TypeOf("f64[]", "repeat %x shape=2,0"), "f64[2,0]");
  EXPECT_TRUE(Refused(TypeOf("f64[1024,1024]", "repeat %x shape=2,1"), "at most 1048576"));
}

TEST(ResultType, Windows) {
  EXPECT_EQ(TypeOf("f64[2,4]", "conv1d %x %z", "f64[3,2,2]"), "f64[3,3]");
  EXPECT_EQ(TypeOf("f64[0,2,4]", "conv1d %x %z stride=2 padding=1 groups=2", "f64[2,1,2]"),
            "f64[0,2,3]");
  EXPECT_EQ(TypeOf("f32[2,4,5]", "conv2d %x %z dilation=3,2", "f32[1,2,2,3]"), "f32[1,1,1]");
  EXPECT_EQ(TypeOf("f64[1,1,2,3,4]", "conv3d %x %z", "f64[1,1,1,2,3]"), "f64[1,1,2,2,2]");
  EXPECT_EQ(TypeOf("f64[2,5]", "avg_pool1d %x kernel=2"), "f64[2,2]");
  EXPECT_EQ(TypeOf("f64[1,2,5,5]", "max_pool2d %x kernel=2,3 stride=1,2 padding=1,0"),
            "f64[1,2,6,2]");
  EXPECT_EQ(TypeOf("f32[1,2,2,2]", "max_pool3d_indices %x kernel=2,1,1"), "i64[1,1,2,2]");
  EXPECT_EQ(
      TypeOf("f64[2,4]", "conv_transpose1d %x %z stride=2 groups=2 output_padding=1", "f64[2,3,2]"),
      "f64[6,9]");
  EXPECT_EQ(TypeOf("f32[0,2,3,4]", "adaptive_avg_pool2d %x shape=2,5"), "f32[0,2,2,5]");
  EXPECT_EQ(TypeOf("f64[2,3]", "adaptive_max_pool1d_indices %x shape=2"), "i64[2,2]");
  EXPECT_EQ(TypeOf("f64[1,2,2,2]", "upsample_trilinear3d %x shape=3,1,4"), "f64[1,3,1,4]");
  EXPECT_EQ(TypeOf("f64[3,2]", "embedding %x %i", "f64[]", "i64[4,1]"), "f64[4,1,2]");
  EXPECT_EQ(TypeOf("f32[3,0]", "embedding %x %i sparse=1", "f64[]", "i64[]"), "f32[0]");
  EXPECT_TRUE(Refused(TypeOf("f64[2,4]", "conv1d %x %z groups=3", "f64[3,2,2]"), "groups"));
  // Each window counts as all its products, and each kernel may be as long as the operand.
  EXPECT_TRUE(
      Refused(TypeOf("f64[1,60000]", "conv1d %x %z padding=30000", "f64[1,1,60000]"), "elements"));
}

TEST(ResultType, Joins) {
  EXPECT_EQ(TypeOf("f64[2,3]", "cat %x %z %x dim=0", "f64[0,3]"), "f64[4,3]");
  EXPECT_EQ(TypeOf("f64[2,3]", "cat %x %z dim=1", "f64[2,1]"), "f64[2,4]");
  EXPECT_EQ(TypeOf("bool[2]", "stack %x %x dim=1"), "bool[2,2]");
  EXPECT_EQ(TypeOf("f64[]", "stack %x %z %x dim=0"), "f64[3]");
  EXPECT_TRUE(Refused(TypeOf("f64[]", "cat %x %z dim=0"), "scalar"));
  EXPECT_TRUE(Refused(TypeOf("f64[2]", "cat %x %z dim=0", "f64[2,1]"), "equal but for dim="));
  EXPECT_TRUE(Refused(TypeOf("f64[2]", "stack %x %z dim=0", "f64[1]"), "takes equal ones"));
  EXPECT_TRUE(Refused(TypeOf("f64[2]", "stack %x %x dim=2"), "0 to 1"));
  EXPECT_TRUE(Refused(TypeOf("f64[2]", "cat %x %z dim=0", "f32[2]"), "element types"));
}

TEST(ResultType, Picks) {
  EXPECT_EQ(TypeOf("f32[3,4]", "index_select %x %i dim=1", "f64[]", "i64[7]"), "f32[3,7]");
  EXPECT_EQ(TypeOf("bool[3,4]", "gather %x %i dim=0", "f64[]", "i64[9,4]"), "bool[9,4]");
  EXPECT_EQ(TypeOf("f64[3]", "scatter_add %x %i %z dim=0", "f64[2]"), "f64[3]");
  EXPECT_EQ(TypeOf("f64[3,4]", "flip %x dims=1,0"), "f64[3,4]");
  EXPECT_TRUE(Refused(TypeOf("f64[3]", "index_select %x %i dim=0", "f64[]", "i64[]"), "rank 1"));
  EXPECT_TRUE(Refused(TypeOf("f64[3]", "gather %x %z dim=0", "f64[2]"), "must be i64"));
  EXPECT_TRUE(
      Refused(TypeOf("f64[3,1]", "gather %x %i dim=0", "f64[]", "i64[1,2]"), "no larger size"));
  EXPECT_TRUE(Refused(TypeOf("f64[3]", "scatter_add %x %i %z dim=0", "f64[3]"), "be equal"));
  EXPECT_TRUE(Refused(TypeOf("f64[3]", "flip %x dims=0,0"), "each once"));
}

TEST(ResultType, OrderAndExtremes) {
  EXPECT_EQ(TypeOf("f32[3,4]", "max %x dim=1"), "f32[3]");
  EXPECT_EQ(TypeOf("f64[3,4]", "argmin %x dim=0 keepdim=1"), "i64[1,4]");
  EXPECT_EQ(TypeOf("i64[3,0]", "sort %x dim=1 descending=1"), "i64[3,0]");
  EXPECT_EQ(TypeOf("f64[3,4]", "argsort %x dim=0"), "i64[3,4]");
  EXPECT_EQ(TypeOf("f64[3,4]", "amax %x dims=0"), "f64[4]");
  EXPECT_EQ(TypeOf("f64[0,4]", "amin %x dims=1"), "f64[0]");
  EXPECT_EQ(TypeOf("f64[3,0]", "prod %x dims=1"), "f64[3]");
  EXPECT_EQ(TypeOf("f64[3,2]", "logsumexp %x keepdim=1"), "f64[1,1]");
  EXPECT_TRUE(Refused(TypeOf("f64[3,0]", "max %x dim=1"), "size 0"));
  EXPECT_TRUE(Refused(TypeOf("f64[3,0]", "amax %x"), "size 0"));
}

TEST(ResultType, ScansAndLosses) {
  EXPECT_EQ(TypeOf("i64[3,4]", "cumsum %x dim=1"), "i64[3,4]");
  EXPECT_EQ(TypeOf("f64[3,0]", "softmax %x dim=1"), "f64[3,0]");
  EXPECT_EQ(TypeOf("f64[3]", "mse_loss %x %z", "f64[3]"), "f64[]");
  EXPECT_EQ(TypeOf("f64[3]", "mse_loss %x %z reduction=none", "f64[3]"), "f64[3]");
  EXPECT_EQ(TypeOf("f64[2,3]", "cross_entropy %x %i"), "f64[]");
  EXPECT_EQ(TypeOf("f64[3]", "cross_entropy %x %i reduction=none", "f64[]", "i64[]"), "f64[]");
  EXPECT_EQ(TypeOf("f64[4]", "addmm %x %z %z", "f64[4,4]"), "f64[4,4]");
  EXPECT_TRUE(Refused(TypeOf("f64[3]", "mse_loss %x %z"), "takes equal"));
  EXPECT_TRUE(Refused(TypeOf("f64[3,3]", "cross_entropy %x %i"), "must have [3]"));
  EXPECT_TRUE(Refused(TypeOf("i64[3]", "softmax %x dim=0"), "f32 or f64"));
  EXPECT_TRUE(Refused(TypeOf("f64[3]", "addmm %x %z %z", "f64[4,4]"), "does not broadcast"));
  // A running sum counts as all its additions.
  EXPECT_TRUE(Refused(TypeOf("f64[100000]", "cumsum %x dim=0"), "elements"));
}

TEST(ResultType, Clamp) {
  EXPECT_EQ(TypeOf("f32[3]", "clamp %x min=0.5"), "f32[3]");
  EXPECT_EQ(TypeOf("f64[3]", "clamp %x min=-1 max=inf"), "f64[3]");
  EXPECT_TRUE(Refused(TypeOf("f64[3]", "clamp %x"), "one of them or both"));
  EXPECT_TRUE(Refused(TypeOf("f64[3]", "clamp %x min=2 max=1"), "above max="));
  EXPECT_TRUE(Refused(TypeOf("f32[3]", "clamp %x min=0.1"), "this type holds"));
  EXPECT_TRUE(Refused(TypeOf("f64[3]", "clamp %x min=nan"), "this type holds"));
}

}  // namespace
}  // namespace twingrad::program
