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

}  // namespace
}  // namespace twingrad::reference
