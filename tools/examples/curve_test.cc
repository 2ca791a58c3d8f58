// Curves: points at their places, decades as ticks, values without a logarithm left out.

#include "tools/examples/curve.h"

#include <cmath>
#include <string>

#include "gtest/gtest.h"

namespace twingrad::examples {
namespace {

bool Has(const std::string& svg, const std::string& part) {
  return svg.find(part) != std::string::npos;
}

TEST(Curve, DrawsValuesOverDecades) {
  // 1 lies at the top, 0.01 at the bottom; three points span the width.
  const std::string svg = SvgOf({.title = "a < b & c", .x = "step", .values = {1, 0.1, 0.01}});
  EXPECT_TRUE(Has(svg, "points=\"70.00,40.00 350.00,200.00 630.00,360.00 \"")) << svg;
  EXPECT_TRUE(Has(svg, ">0.01</text>"));
  EXPECT_TRUE(Has(svg, ">1</text>"));
  EXPECT_TRUE(Has(svg, "a &lt; b &amp; c"));
  EXPECT_TRUE(Has(svg, ">step</text>"));
}

TEST(Curve, LeavesOutWhatHasNoLogarithm) {
  const std::string svg = SvgOf({.values = {NAN, 10, 0, -1, 100, INFINITY}});
  EXPECT_TRUE(Has(svg, "points=\"182.00,360.00 518.00,40.00 \"")) << svg;
  EXPECT_TRUE(Has(SvgOf({}), "points=\"\""));
}

}  // namespace
}  // namespace twingrad::examples
