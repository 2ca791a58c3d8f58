#include "autograd/program/fault.h"

#include <gtest/gtest.h>

#include <string>

namespace twingrad::program {
namespace {

TEST(Fault, Columns) {
  constexpr std::string_view kLine = "%aa,%b = grad %x %y inputs=%x,%y retain_graph=1";
  EXPECT_EQ(ColumnOf({Fault::Place::kName, 0, Key::kType, ""}, kLine), 10);
  EXPECT_EQ(ColumnOf({Fault::Place::kResult, 0, Key::kType, ""}, kLine), 1);
  EXPECT_EQ(ColumnOf({Fault::Place::kResult, 1, Key::kType, ""}, kLine), 5);
  EXPECT_EQ(ColumnOf({Fault::Place::kOperand, 0, Key::kType, ""}, kLine), 15);
  EXPECT_EQ(ColumnOf({Fault::Place::kOperand, 1, Key::kType, ""}, kLine), 18);
  EXPECT_EQ(ColumnOf({Fault::Place::kAttribute, 0, Key::kInputs, ""}, kLine), 21);
  EXPECT_EQ(ColumnOf({Fault::Place::kAttribute, 0, Key::kRetainGraph, ""}, kLine), 34);
}

TEST(Fault, ColumnsOfWhatIsNotThereAreTheNames) {
  constexpr std::string_view kLine = "backward %x";
  EXPECT_EQ(ColumnOf({Fault::Place::kAttribute, 0, Key::kInputs, ""}, kLine), 1);
  EXPECT_EQ(ColumnOf({Fault::Place::kOperand, 7, Key::kType, ""}, kLine), 1);
  EXPECT_EQ(ColumnOf({Fault::Place::kResult, 1, Key::kType, ""}, kLine), 1);
  EXPECT_EQ(ColumnOf({Fault::Place::kResult, 1, Key::kType, ""}, ""), 1);
}

TEST(Fault, Texts) {
  EXPECT_EQ(Quoted("a\nb\xff"), "'a\\nb\\xff'");
  EXPECT_EQ(Quoted(std::string(41, 'a')), "'" + std::string(40, 'a') + "...'");
  EXPECT_EQ(ErrorAt(2, 3, "no; yes").message(), "[program] 2:3 no; yes");
}

}  // namespace
}  // namespace twingrad::program
