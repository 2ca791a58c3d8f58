// Classes are read from attributes and from what operands hold.

#include "proptests/judge/classes.h"

#include <set>
#include <string>

#include "autograd/program/parse.h"
#include "autograd/reference/twin.h"
#include "gtest/gtest.h"
#include "proptests/judge/statistics.h"

namespace twingrad::judge {
namespace {

using NameSet = std::set<std::string>;

// Those that the statements of a Program have, leaves being none.
NameSet ClassesIn(const std::string& text) {
  const auto program = program::Parse("twingrad 1\n" + text);
  EXPECT_TRUE(program.ok()) << program.status();
  Statistics statistics;
  statistics.AddClasses(*program, reference::RunTwin(*program));
  NameSet names;
  for (int k = 0; k < kNumOpClasses; ++k) {
    if (statistics.classes[static_cast<size_t>(k)] > 0) names.insert(OpClassName(k));
  }
  return names;
}

// Of one statement that reads %x, %y and %z.
NameSet ClassesOf(const std::string& leaves, const std::string& statement) {
  return ClassesIn(leaves + "%r = " + statement + "\n");
}

TEST(Classes, OfAttributes) {
  const std::string leaves = "%x = leaf type=f32[1,2,4,4]\n%y = leaf type=f32[2,1,2,2]\n";
  EXPECT_EQ(ClassesOf(leaves, "conv2d %x %y stride=1,2 groups=2"),
            (NameSet{"conv2d stride above 1", "conv2d padding 0", "conv2d dilation 1",
                     "conv2d groups above 1", "conv2d f32"}));
  EXPECT_EQ(ClassesOf(leaves, "sum %x dims=0,1 keepdim=1"),
            (NameSet{"sum several dims", "sum keepdim=1", "sum f32"}));
  EXPECT_EQ(ClassesOf(leaves, "roll %x dim=2 by=-1"),
            (NameSet{"roll dim above 0", "roll by below 0", "roll f32"}));
  EXPECT_EQ(ClassesOf(leaves, "clamp %x min=1"), (NameSet{"clamp without max", "clamp f32"}));
}

TEST(Classes, OfOperands) {
  const std::string ties = "%x = leaf type=i64[3] data=2,1,2\n%y = leaf type=i64[1] data=7\n";
  EXPECT_EQ(ClassesOf(ties, "sort %x dim=0"),
            (NameSet{"sort dim 0", "sort descending=0", "sort tie", "sort i64"}));
  EXPECT_EQ(ClassesOf(ties, "maximum %x %y"), (NameSet{"maximum broadcast", "maximum i64"}));
  // An index out of range: the statement computes nothing.
  EXPECT_EQ(ClassesOf(ties, "index_select %y %x dim=0"), NameSet());
  EXPECT_EQ(ClassesOf("%x = leaf type=f64[4,0]\n%y = leaf type=i64[2] data=3,3\n",
                      "index_select %x %y dim=0"),
            (NameSet{"index_select dim 0", "index_select empty", "index_select repeated index",
                     "index_select f64"}));
}

TEST(Classes, OfEquations) {
  EXPECT_EQ(ClassesOf("%x = leaf type=f64[2,2]\n", "einsum %x equation=ii->i"),
            (NameSet{"einsum fewer operands", "einsum f64", "einsum diagonal"}));
}

TEST(Classes, NamesAreUnique) {
  NameSet names;
  for (int k = 0; k < kNumOpClasses; ++k) names.insert(OpClassName(k));
  EXPECT_EQ(names.size(), static_cast<size_t>(kNumOpClasses));
}

}  // namespace
}  // namespace twingrad::judge
