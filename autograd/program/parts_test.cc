#include "autograd/program/parts.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "autograd/program/analyze.h"
#include "autograd/program/element_text.h"
#include "autograd/program/parse.h"
#include "autograd/program/print.h"
#include "gtest/gtest.h"

namespace twingrad::program {
namespace {

// The types of what the statement makes of %x, or the error.
std::string TypesOf(const std::string& x, const std::string& statement) {
  const auto program = Parse(absl::StrCat("twingrad 1\n%x = leaf type=", x, "\n", statement, "\n"));
  if (!program.ok()) return std::string(program.status().message());
  const auto analysis = Analyze(*program);
  std::string types;
  for (size_t value = 1; value < analysis->values.size(); ++value) {
    const ValueInfo& info = analysis->values[value];
    EXPECT_EQ(info.storage, 0);
    absl::StrAppend(&types, types.empty() ? "" : " ", TypeText(info.type));
  }
  return types;
}

TEST(Parts, HaveTypesOfTheirOwn) {
  EXPECT_EQ(TypesOf("f64[2,3]", "%a,%b = unbind %x dim=0"), "f64[3] f64[3]");
  EXPECT_EQ(TypesOf("bool[2,1]", "%a = unbind %x dim=1"), "bool[2]");
  EXPECT_EQ(TypesOf("f64[5,2]", "%a,%b,%c = split %x dim=0 count=2"), "f64[2,2] f64[2,2] f64[1,2]");
  EXPECT_EQ(TypesOf("f64[5]", "%a = split %x dim=0 count=9223372036854775807"), "f64[5]");
  EXPECT_EQ(TypesOf("i64[4]", "%a,%b = chunk %x dim=0 count=2"), "i64[2] i64[2]");
  // Two entries each are three parts, where four were asked for.
  EXPECT_EQ(TypesOf("f64[5]", "%a,%b,%c = chunk %x dim=0 count=4"), "f64[2] f64[2] f64[1]");
  EXPECT_EQ(TypesOf("f64[0]", "%a = split %x dim=0 count=2"), "f64[0]");
  EXPECT_EQ(TypesOf("f64[0]", "%a,%b = chunk %x dim=0 count=2"), "f64[0] f64[0]");
}

TEST(Parts, AreAsManyAsTheResults) {
  const auto refused = [](const std::string& x, const std::string& statement,
                          const std::string& why) {
    const std::string error = TypesOf(x, statement);
    EXPECT_NE(error.find(why), std::string::npos) << statement << ": " << error;
  };
  refused("f64[2,3]", "%a,%b = unbind %x dim=1",
          "unbind of [2,3] with 2 results; it has one a part, here 3");
  refused("f64[9]", "%a = unbind %x dim=0", "here 9, and at most 8");
  refused("f64[0]", "%a = unbind %x dim=0", "here 0");
  refused("f64[2]", "%a = split %x dim=0 count=0", "1 or more");
  refused("f64[2]", "%a = chunk %x dim=1 count=1", "dimension 1");
  refused("f64[]", "%a = unbind %x dim=0", "scalar");
  refused("f64[2]", "unbind %x dim=0", "results");
}

TEST(Parts, AreViewsOfOneResult) {
  const auto program = Parse(
      "twingrad 1\n%x = leaf type=f64[5,2]\n%a,%b,%c = chunk %x dim=0 count=3\n"
      "%d,%e = unbind %x dim=1\n");
  ASSERT_TRUE(program.ok()) << program.status();
  const auto alone = [&](size_t statement, size_t k) {
    Program with = *program;
    with.statements[statement] = PartAlone(program->statements[statement], {5, 2}, k);
    return PrintStatement(with, static_cast<int>(statement));
  };
  EXPECT_EQ(alone(1, 0), "%a = slice %x dim=0 stop=2");
  EXPECT_EQ(alone(1, 2), "%c = slice %x dim=0 start=4 stop=5");
  EXPECT_EQ(alone(2, 1), "%e = select %x dim=1 index=1");
}

TEST(Parts, FitAnyShape) {
  Statement split{Opcode::kSplit, {0}, {0}, {{Key::kDim, int64_t{0}}, {Key::kCount, int64_t{2}}}};
  EXPECT_EQ(FittingResults(split, {5}), 3u);
  EXPECT_EQ(FittingResults(split, {100}), 8u);
  EXPECT_EQ(FittingResults(split, {}), 1u);
  split.attributes[1].value = int64_t{0};
  EXPECT_EQ(FittingResults(split, {5}), 1u);
  split.attributes.pop_back();
  EXPECT_EQ(FittingResults(split, {5}), 5u);
}

TEST(Parts, IndicesAreASecondResult) {
  const auto program = Parse(
      "twingrad 1\n%x = leaf type=f32[5,2]\n%a,%b = max %x dim=0 keepdim=1\n"
      "%c,%d = topk %x dim=0 count=3\n%e = sort %x dim=1\n");
  ASSERT_TRUE(program.ok()) << program.status();
  const auto alone = [&](size_t statement, size_t k) {
    Program with = *program;
    with.statements[statement] = ResultAlone(program->statements[statement], k);
    return PrintStatement(with, static_cast<int>(statement));
  };
  EXPECT_EQ(alone(1, 0), "%a = max %x dim=0 keepdim=1");
  EXPECT_EQ(alone(1, 1), "%b = argmax %x dim=0 keepdim=1");
  EXPECT_EQ(alone(2, 1), "%d = topk_indices %x dim=0 count=3");
  EXPECT_TRUE(GivesIndices(program->statements[1]));
  EXPECT_FALSE(GivesIndices(program->statements[3]));
  EXPECT_TRUE(MayGiveIndices(Opcode::kMaxPool2d));
  EXPECT_FALSE(MayGiveIndices(Opcode::kArgmax));
  const auto analysis = Analyze(*program);
  ASSERT_TRUE(analysis.ok());
  EXPECT_EQ(TypeText(analysis->values[1].type), "f32[1,2]");
  EXPECT_EQ(TypeText(analysis->values[2].type), "i64[1,2]");
  EXPECT_EQ(TypeText(analysis->values[4].type), "i64[3,2]");
  EXPECT_EQ(analysis->values[4].storage, 4);
}

}  // namespace
}  // namespace twingrad::program
