#include "autograd/program/equation.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace twingrad::program {
namespace {

TEST(Equation, HasLabelsOfOperandsAndResult) {
  const auto product = ParseEquation("bij,bjk->bik");
  ASSERT_TRUE(product);
  EXPECT_EQ(product->inputs, (std::vector<std::string>{"bij", "bjk"}));
  EXPECT_EQ(product->output, "bik");
  const auto scalars = ParseEquation(",->");
  ASSERT_TRUE(scalars);
  EXPECT_EQ(scalars->inputs, (std::vector<std::string>{"", ""}));
  EXPECT_EQ(scalars->output, "");
  EXPECT_EQ(ParseEquation("->")->inputs.size(), 1);
}

TEST(Equation, OtherTextIsNone) {
  for (const char* const text :
       {"", "ij", "ij,jk", "ij-ik", "iJ->i", "i j->ij", "...i->i", "ij->i,j", "ij->->i", "i1->i"}) {
    EXPECT_FALSE(ParseEquation(text)) << text;
  }
  EXPECT_TRUE(ParseEquation(std::string(62, 'a') + "->"));
  EXPECT_FALSE(ParseEquation(std::string(63, 'a') + "->"));
}

TEST(Equation, DistinctKeepsTheFirstOfEach) {
  EXPECT_EQ(Distinct("ijikj"), "ijk");
  EXPECT_EQ(Distinct(""), "");
}

}  // namespace
}  // namespace twingrad::program
