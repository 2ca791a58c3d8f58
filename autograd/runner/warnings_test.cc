// Warnings of a Program's run: whose they are, and in which order they stand.

#include "autograd/runner/warnings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "autograd/engine/engine.h"
#include "autograd/program/observation_text.h"
#include "autograd/program/parse.h"
#include "autograd/runner/run.h"

namespace twingrad::runner {
namespace {

using program::WarningRecord;

// "call:source:statement:node", each.
std::vector<std::string> WarningsOf(const std::string& lines, int threads = 0) {
  const auto parsed = program::Parse("twingrad 1\n" + lines);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  Engine engine({.device_threads = threads});
  std::vector<std::string> texts;
  for (const WarningRecord& warning : Run(*parsed, engine).warnings) {
    texts.push_back(absl::StrJoin(
        {absl::StrCat(warning.call), std::string(program::WarningSourceName(warning.source)),
         absl::StrCat(warning.statement),
         warning.statement < 0 ? "" : program::NodeText(*parsed, warning.node)},
        ":"));
  }
  return texts;
}

// Rules: G5.
TEST(Warnings, OfHooksNestedCallsAndCustomFunctionsComeInTheOrderOfOneThread) {
  const std::string lines =
      "%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\n%z = custom %y do=warn\n"
      "hook %y do=warn\nhook %y do=backward target=%x\naccumulate_hook %x do=warn\n"
      "backward %z\n";
  const std::vector<std::string> expected = {"6:hook:2:custom@2", "6:hook:3:mul@1",
                                             "6:hook:5:accumulate_grad@0",
                                             "6:hook:5:accumulate_grad@0"};
  EXPECT_EQ(WarningsOf(lines), expected);
}

// Rules: G5.
TEST(Warnings, OfDevicesComeInTheSameOrder) {
  const std::string lines =
      "%x = leaf type=f64[] data=3 grad=1\n%a = to %x device=dev:0\n%b = to %x device=dev:1\n"
      "%c = to %a device=cpu\n%d = to %b device=cpu\n%e = add %c %d\n"
      "hook %a do=warn\nhook %b do=warn\nhook %c do=warn\nhook %d do=warn\nbackward %e\n";
  const std::vector<std::string> one = WarningsOf(lines);
  EXPECT_EQ(one.size(), 4u);
  EXPECT_EQ(WarningsOf(lines, 2), one);
}

// Rules: J11.
TEST(Warnings, OfLayoutsNameTheCall) {
  const std::string lines =
      "%x = leaf type=f64[2,3] grad=1\n%b = leaf type=f64[3,2]\n%t = transpose %b dims=0,1\n"
      "set_grad %x %t\n%s = sum %x\nbackward %s\n";
  EXPECT_EQ(WarningsOf(lines), (std::vector<std::string>{"5:layout:-1:"}));
}

// Rules: G5.
TEST(Warnings, OfACallThatFailsArriveToo) {
  const std::string lines =
      "%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nhook %y do=warn\nhook %x do=throw\n"
      "backward %y\n";
  EXPECT_EQ(WarningsOf(lines), (std::vector<std::string>{"4:hook:2:mul@1"}));
}

}  // namespace
}  // namespace twingrad::runner
