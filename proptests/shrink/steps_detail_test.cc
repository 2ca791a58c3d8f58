// Edits of shapes, attributes, ops and data: each step by name, on a small Program.

#include <set>
#include <string>

#include "gtest/gtest.h"
#include "proptests/shrink/steps.h"
#include "proptests/shrink/steps_test_support.h"

namespace twingrad::shrink {
namespace {

std::set<std::string> Edits(const std::string& name, const std::string& text) {
  return shrink::Edits(DetailSteps(), name, text);
}

constexpr char kProgram[] =
    "twingrad 1\n"
    "%v0 = leaf type=f64[2] data=3,4 grad=1\n"
    "%v1 = sum %v0 dims=0 keepdim=1\n";

TEST(StepsDetail, WholeProgramsBecomeScalar) {
  EXPECT_EQ(Edits("simplify the whole Program", kProgram)
                .count("twingrad 1\n"
                       "%v0 = leaf type=f64[] data=3 grad=1\n"
                       "%v1 = sum %v0\n"),
            1u);
}

TEST(StepsDetail, ElementTypesBecomeThoseThatHoldTheOthers) {
  for (const std::string type : {"f32", "f16", "bf16"}) {
    EXPECT_EQ(Edits("simplify the whole Program",
                    "twingrad 1\n%v0 = leaf type=" + type + "[2] data=3,4\n%v1 = neg %v0\n")
                  .count("twingrad 1\n%v0 = leaf type=f64[2] data=3,4\n%v1 = neg %v0\n"),
              1u)
        << type;
  }
  EXPECT_EQ(Edits("simplify the whole Program",
                  "twingrad 1\n%v0 = leaf type=i32[2] data=3,-4\n%v1 = neg %v0\n")
                .count("twingrad 1\n%v0 = leaf type=i64[2] data=3,-4\n%v1 = neg %v0\n"),
            1u);
}

TEST(StepsDetail, AttributesAreDropped) {
  EXPECT_EQ(Edits("drop an attribute", kProgram)
                .count("twingrad 1\n"
                       "%v0 = leaf type=f64[2] data=3,4 grad=1\n"
                       "%v1 = sum %v0 dims=0\n"),
            1u);
}

TEST(StepsDetail, EquationsLoseLettersWithTheDimensions) {
  const std::string name = "drop a letter";
  const auto edits = Edits(name,
                           "twingrad 1\n"
                           "%v0 = leaf type=f64[1,2] data=3,4\n"
                           "%v1 = leaf type=f64[2,3] data=1,2,3,4,5,6\n"
                           "%v2 = einsum %v0 %v1 equation=ij,jk->ik\n");
  EXPECT_EQ(edits.size(), 3u);
  EXPECT_EQ(edits.count("twingrad 1\n"
                        "%v0 = leaf type=f64[1] data=3\n"
                        "%v1 = leaf type=f64[3] data=1,2,3\n"
                        "%v2 = einsum %v0 %v1 equation=i,k->ik\n"),
            1u);
  // Not where the dimension is that of another statement's result.
  EXPECT_TRUE(Edits(name,
                    "twingrad 1\n"
                    "%v0 = leaf type=f64[2] data=3,4\n"
                    "%v1 = neg %v0\n"
                    "%v2 = einsum %v1 equation=i->\n")
                  .empty());
}

TEST(StepsDetail, SparseTensorsLoseEntries) {
  const auto edits = Edits("drop an entry",
                           "twingrad 1\n"
                           "%v0 = leaf type=f64[2] data=3,4 grad=1\n"
                           "%v1 = leaf type=i64[1,2] data=1,1\n"
                           "%v2 = sparse_coo %v0 %v1 shape=2\n");
  EXPECT_EQ(edits.size(), 2u);
  EXPECT_EQ(edits.count("twingrad 1\n"
                        "%v0 = leaf type=f64[1] data=4 grad=1\n"
                        "%v1 = leaf type=i64[1,1] data=1\n"
                        "%v2 = sparse_coo %v0 %v1 shape=2\n"),
            1u);
  EXPECT_TRUE(Edits("drop an entry", kProgram).empty());
}

TEST(StepsDetail, SparseGradientsBecomeDense) {
  const std::string leaves =
      "twingrad 1\n%v0 = leaf type=f64[2,1] data=3,4 grad=1\n%v1 = leaf type=i64[] data=1\n";
  EXPECT_EQ(Edits("drop an attribute", leaves + "%v2 = embedding %v0 %v1 sparse=1\n")
                .count(leaves + "%v2 = embedding %v0 %v1\n"),
            1u);
}

TEST(StepsDetail, DataBecomeSimple) {
  const auto edits = Edits("simplify data", kProgram);
  EXPECT_EQ(edits.count("twingrad 1\n"
                        "%v0 = leaf type=f64[2] data=1,1 grad=1\n"
                        "%v1 = sum %v0 dims=0 keepdim=1\n"),
            1u);
  EXPECT_EQ(edits.count("twingrad 1\n"
                        "%v0 = leaf type=f64[2] data=3,0 grad=1\n"
                        "%v1 = sum %v0 dims=0 keepdim=1\n"),
            1u);
}

TEST(StepsDetail, OpsBecomeLighter) {
  EXPECT_EQ(Edits("use a lighter op", "twingrad 1\n%v0 = leaf type=f64[]\n%v1 = sigmoid %v0\n")
                .count("twingrad 1\n%v0 = leaf type=f64[]\n%v1 = neg %v0\n"),
            1u);
  EXPECT_EQ(Edits("use a lighter op",
                  "twingrad 1\n%v0 = leaf type=bool[]\n%v1 = leaf type=f64[]\n"
                  "%v2 = where %v0 %v1 %v1\n")
                .count("twingrad 1\n%v0 = leaf type=bool[]\n%v1 = leaf type=f64[]\n"
                       "%v2 = add %v1 %v1\n"),
            1u);
  EXPECT_EQ(Edits("use a lighter op",
                  "twingrad 1\n%v0 = leaf type=f64[]\n%v1 = leaf type=f64[2,0]\n"
                  "%v2 = leaf type=f64[1,2] data=0,0\n%v3 = addmm %v0 %v2 %v1\n")
                .count("twingrad 1\n%v0 = leaf type=f64[]\n%v1 = leaf type=f64[2,0]\n"
                       "%v2 = leaf type=f64[1,2] data=0,0\n%v3 = matmul %v2 %v1\n"),
            1u);
}

}  // namespace
}  // namespace twingrad::shrink
