// Whether a defect is found soon enough, over several seeds.

#ifndef PROPTESTS_MUTANTS_CONCURRENT_SPEED_H_
#define PROPTESTS_MUTANTS_CONCURRENT_SPEED_H_

#include <string_view>
#include <vector>

namespace twingrad::mutants {

// Prints `NAME: by WHAT found in ... s in the median of N seeds, in ... s at worst: quick enough`;
// returns 0, and 1 where the median is 2 s or more, or the worst 10 s. `seconds` is what each seed
// took, of processor time; at least one.
int JudgeSpeed(std::string_view name, std::string_view by, std::vector<double> seconds);

}  // namespace twingrad::mutants

#endif  // PROPTESTS_MUTANTS_CONCURRENT_SPEED_H_
