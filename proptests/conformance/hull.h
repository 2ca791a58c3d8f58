// Whether a point lies within tolerances of the convex hull of others. A pure function.

#pragma once

#include <vector>

namespace twingrad::conformance {

// Whether some weights, none negative, of sum 1, make of the vertices a point that differs from
// `point` by at most `tolerance`, coordinate by coordinate. All numbers are finite.
bool IsWithinHull(const std::vector<std::vector<double>>& vertices,
                  const std::vector<double>& point, const std::vector<double>& tolerance);

}  // namespace twingrad::conformance
