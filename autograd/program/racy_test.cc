#include "autograd/program/racy.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "autograd/program/parse.h"

namespace twingrad::program {
namespace {

// %a and %b are unordered; %c comes from both.
bool Racy(const std::string& rest) {
  const auto program = Parse(absl::StrCat(
      "twingrad 1\n%x = leaf type=f64[] grad=1\n%a = neg %x\n%b = exp %x\n%c = mul %a %b\n", rest));
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() && IsRacy(*program);
}

TEST(Racy, HooksThatActOnAnotherNode) {
  EXPECT_FALSE(Racy("hook %a do=scale by=2\nhook %b do=throw\n"));
  EXPECT_FALSE(Racy("hook %a do=callback\n"));
  EXPECT_TRUE(Racy("hook %a do=register target=%b\n"));
  EXPECT_FALSE(Racy("hook %a do=register target=%c\n"));
  EXPECT_FALSE(Racy("hook %a do=register target=%a\n"));
  EXPECT_FALSE(Racy("hook %c do=register target=%x\n"));
  EXPECT_TRUE(Racy("hook %b id=h do=record\nhook %a do=remove target=h\n"));
  EXPECT_FALSE(Racy("hook %c id=h do=record\nhook %a do=remove target=h\n"));
}

TEST(Racy, AWriteInPlaceMakesTheOrderUnknown) {
  EXPECT_TRUE(Racy("zero_ %a\nhook %a do=register target=%c\n"));
  EXPECT_FALSE(Racy("zero_ %a\nhook %a do=register target=%a\n"));
}

TEST(Racy, HooksThatRunBackward) {
  // All that a backward from %x or %b reaches comes after %c; from %c it reaches %b, unordered with
  // %a.
  EXPECT_FALSE(Racy("hook %c do=backward target=%b\n"));
  EXPECT_TRUE(Racy("hook %a do=backward target=%c\n"));
  EXPECT_TRUE(Racy("hook %a do=backward target=%b\n"));
  EXPECT_TRUE(Racy("%z = custom %a do=backward target=%b\n"));
  EXPECT_FALSE(Racy("%z = custom %a do=backward target=%a\n"));
}

TEST(Racy, HooksThatActOnOneValueWithoutAnOrderBetweenThem) {
  EXPECT_TRUE(Racy("hook %a do=backward target=%x\nhook %b do=backward target=%x\n"));
  EXPECT_FALSE(Racy("hook %a do=backward target=%x\nhook %c do=backward target=%x\n"));
  EXPECT_TRUE(Racy("hook %a do=register target=%x\nhook %b do=register target=%x\n"));
  EXPECT_FALSE(Racy("hook %a do=callback\nhook %b do=callback\n"));
}

TEST(Racy, HooksThatABackwardOfAHookRuns) {
  // %d is above %a: its hook acts in order. Run from %c's hook, %a's hook acts beside %d.
  const std::string above = "%d = neg %a\nhook %a do=register target=%d\n";
  EXPECT_FALSE(Racy(above));
  EXPECT_TRUE(Racy(above + "hook %c do=backward target=%a\n"));
}

TEST(Racy, OnlyGradientsMakeAnOrder) {
  EXPECT_TRUE(Racy("%d = detach %a\n%e = mul %d %x\nhook %e do=register target=%a\n"));
  EXPECT_TRUE(Racy("begin kind=no_grad\n%d = neg %a\nend\nhook %d do=register target=%a\n"));
  EXPECT_FALSE(Racy("%d = neg %a\nhook %d do=register target=%a\n"));
  EXPECT_TRUE(Racy("%i = cast %a to=i64\n%d = cast %i to=f64\nhook %d do=register target=%a\n"));
}

// %d is made of the indices alone.
TEST(Racy, IndicesMakeNoOrder) {
  const std::string op = "%r = unsqueeze %a dim=0\n%v,%i = sort %r dim=0\n";
  EXPECT_FALSE(Racy(op + "%d = neg %v\nhook %d do=register target=%a\n"));
  EXPECT_TRUE(Racy(op + "%d = cast %i to=f64\nhook %d do=register target=%a\n"));
}

TEST(Racy, SectionsThatRunAtTheSameTime) {
  const std::string call = "begin kind=thread\n%s1 = neg %c\nbackward %s1\nend\n";
  const std::string other = "begin kind=thread\n%s2 = neg %c\nbackward %s2\nend\n";
  const std::string quiet = "begin kind=thread\n%s2 = neg %c\nhook %s2 do=record\nend\n";
  const std::string keeps = "begin kind=thread\nbackward %c retain_graph=1\nend\n";
  const std::string leaf = "begin kind=thread\n%s3 = exp %x\nbackward %s3\nend\n";
  EXPECT_FALSE(Racy(call));
  EXPECT_TRUE(Racy(call + other));
  EXPECT_FALSE(Racy(call + "%between = neg %c\n" + other));
  EXPECT_FALSE(Racy(call + quiet));
  EXPECT_TRUE(Racy(keeps + call));
  EXPECT_FALSE(Racy(keeps + keeps));
  EXPECT_FALSE(Racy(call + leaf));  // only the sum in .grad of %x is in some order
  EXPECT_FALSE(Racy(leaf + keeps));
  EXPECT_TRUE(Racy(call + "begin kind=thread\nend\n" + other));
  EXPECT_FALSE(Racy("begin kind=try\n" + call + "end\n" + other));
  EXPECT_TRUE(
      Racy("hook %a id=h do=record\n" + call + "begin kind=thread\nremove_hook id=h\nend\n"));
  EXPECT_TRUE(Racy("begin kind=thread\nhook %a do=record\nend\n" + leaf));
  EXPECT_TRUE(Racy("accumulate_hook %x do=record\n" + keeps + leaf));
  EXPECT_FALSE(Racy("accumulate_hook %x do=record\n" + keeps + quiet));
  EXPECT_TRUE(Racy("accumulate_hook %x do=zero_grad\n" + keeps + leaf));
}

}  // namespace
}  // namespace twingrad::program
