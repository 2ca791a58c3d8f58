#include "proptests/mutants/concurrent/program_hunt.h"

#include "autograd/program/parse.h"
#include "gtest/gtest.h"

namespace twingrad::mutants {
namespace {

using program::Parse;

TEST(ProgramHuntTest, FindsNothingInTheEngineItself) {
  EXPECT_FALSE(HuntByPrograms({.programs = 20, .schedules = 10}).has_value());
  EXPECT_FALSE(HuntByPrograms({.programs = 100, .schedules = 10, .failing = true}).has_value());
}

TEST(ProgramHuntTest, CountsEachNodeOnceHoweverManyCallsRunIt) {
  constexpr char kTwice[] =
      "twingrad 1\n%x = leaf type=f64[] data=3 grad=1\n%y = to %x device=dev:0\n"
      "%z = neg %y\nbackward %z retain_graph=1\nbackward %z %y\n";
  // neg, to, the leaf's, and the root of the second call.
  EXPECT_EQ(CountNodes(*Parse(kTwice)), 4);
  EXPECT_EQ(CountNodes(*Parse("twingrad 1\n%x = leaf type=f64[] data=3\n")), 0);
}

}  // namespace
}  // namespace twingrad::mutants
