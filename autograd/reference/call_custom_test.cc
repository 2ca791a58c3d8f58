// Custom functions in the twin's calls.

#include <string>

#include "autograd/reference/test_program.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

// A gradient that stays undefined is passed on as it is, so that nothing can misfit.
TEST(CallCustom, OnlyGradientsThatAreThereMisfit) {
  const std::string lines =
      "%x = leaf type=f64[3] data=1,2,3 grad=1\n%y = leaf type=f64[2] data=1,2 grad=1\n"
      "%a,%b = custom %x %y do=wrong_shape keep_undefined=1\n";
  const TwinRun fits(lines + "%s = sum %b\nbackward %s\n");
  EXPECT_FALSE(fits.result().skipped.has_value());
  EXPECT_FALSE(fits.result().observation.error.has_value());
  EXPECT_EQ(fits.Grad("y"), (Row{0, 0}));
  EXPECT_FALSE(fits.Record("x").grad_defined);
  const TwinRun misfits(lines + "%s = sum %a\nbackward %s\n");
  EXPECT_EQ(misfits.Error(), ErrorKind::kShape);
}

constexpr char kWritesView[] =
    "%x = leaf type=f64[2] data=2,3 grad=1\n%b = neg %x\n%v = slice %b dim=0 stop=1\n";

// Its node is the CopySlices of the base, which passes it the gradient of what the view shows.
TEST(CallCustom, AWriteThroughAViewIsOfTheBase) {
  const std::string lines = std::string(kWritesView) + "custom_ %v do=scale by=5\n";
  const TwinRun run(lines + "%s = sum %b\nbackward %s\n");
  EXPECT_EQ(run.Grad("x"), (Row{-5, -1}));
  ASSERT_EQ(run.Call(0).hooks.size(), 1u);
  EXPECT_EQ(run.Call(0).hooks[0].node, run.Node(0, 3, program::NodeRole::kCopySlices));
  EXPECT_EQ(Numbers(run.Call(0).hooks[0].gradient), Row{1});
  const TwinRun nan(std::string(kWritesView) +
                    "custom_ %v do=undefined\n%s = sum %b\nbackward %s\n");
  EXPECT_EQ(nan.Grad("x"), (Row{0, -1}));
  const TwinRun beside(lines + "%w = slice %b dim=0 start=1\nbackward %w\n");
  EXPECT_EQ(beside.Grad("x"), (Row{0, -1}));
  EXPECT_EQ(beside.Call(0).hooks.size(), 1u);
}

TEST(CallCustom, WhatItSavedOfAViewLeadsThroughTheWrite) {
  const TwinRun run(std::string(kWritesView) +
                    "custom_ %v do=exp\n%s = sum %b\n%g = grad %s inputs=%x create_graph=1\n"
                    "%t = sum %g\nbackward %t\n");
  const double e = run.Value("v")[0];  // exp(-x)
  EXPECT_EQ(run.Value("g"), (Row{-e, -1}));
  EXPECT_EQ(run.Grad("x"), (Row{e, 0}));
}

// Rules: M2.
TEST(CallCustom, ALeafIsFoundOutAfterTheWriteThroughAViewToo) {
  const TwinRun run(
      "%x = leaf type=f64[2] data=2,3 grad=1\n%v = slice %x dim=0 stop=1\ncustom_ %v do=exp\n");
  EXPECT_EQ(run.Error(), ErrorKind::kLeafInPlace);
  EXPECT_NE(run.Value("x")[0], 2);
}

}  // namespace
}  // namespace twingrad::reference
