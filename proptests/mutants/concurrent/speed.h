// Judges whether a defect is found quickly enough, over several seeds.

#pragma once

#include <string_view>
#include <vector>

namespace twingrad::mutants {

// Prints `NAME: by WHAT found in ... s in the median of N seeds, in ... s at worst: quick enough`.
// Returns 1 if the median is 2 s or more or the worst is 10 s or more, else 0. `seconds` has the
// processor time that each seed took; it must not be empty.
int JudgeSpeed(std::string_view name, std::string_view by, std::vector<double> seconds);

}  // namespace twingrad::mutants
