#include "proptests/shrink/size.h"

#include <string>

#include "autograd/program/parse.h"
#include "gtest/gtest.h"

namespace twingrad::shrink {
namespace {

Size Of(const char* text) {
  const auto program = twingrad::program::Parse(text);
  EXPECT_TRUE(program.ok()) << program.status();
  return SizeOf(*program);
}

TEST(Size, StatementsWeighMost) {
  const Size two = Of("twingrad 1\n%x = leaf type=f64[3] data=5,6,7 grad=1\n%y = sum %x\n");
  const Size three = Of("twingrad 1\n%x = leaf type=f64[]\n%y = neg %x\n%z = neg %y\n");
  EXPECT_LT(two, three);
}

TEST(Size, SmallerNumbersWeighLess) {
  const Size one = Of("twingrad 1\n%x = leaf type=f64[] data=1\n");
  const Size two = Of("twingrad 1\n%x = leaf type=f64[] data=2\n");
  const Size half = Of("twingrad 1\n%x = leaf type=f64[] data=0x1p-1\n");
  EXPECT_LT(one, two);
  EXPECT_LT(two, half);
}

TEST(Size, FewerDimensionsWeighLess) {
  EXPECT_LT(Of("twingrad 1\n%x = leaf type=f64[] data=1\n"),
            Of("twingrad 1\n%x = leaf type=f64[1] data=1\n"));
}

TEST(Size, WritesWeighMoreThanTheSameElsewhere) {
  constexpr const char* kLeaf = "twingrad 1\n%x = leaf type=f64[]\n%y = neg %x\n";
  for (const std::string op : {"neg", "add", "mul", "exp"}) {
    const std::string operands = op == "add" || op == "mul" ? " %y %x\n" : " %y\n";
    EXPECT_LT(Of((kLeaf + ("%z = " + op) + operands).c_str()),
              Of((kLeaf + op + "_" + operands).c_str()))
        << op;
  }
}

}  // namespace
}  // namespace twingrad::shrink
