// `<test> <name> programs`: what the main function of harness.cc does with random Programs.

#ifndef PROPTESTS_MUTANTS_INTERLEAVE_PROGRAM_HARNESS_H_
#define PROPTESTS_MUTANTS_INTERLEAVE_PROGRAM_HARNESS_H_

#include <string_view>

namespace twingrad::mutants {

// Random Programs must find the mutant by the detector that is right for it, with the engine's
// rules checked and without, and what they find must be small and replay. Prints rows and
// findings; exit status 0 if all is so, 2 if no Program of one caller can reach the defect.
int FindByPrograms(std::string_view name);

}  // namespace twingrad::mutants

#endif  // PROPTESTS_MUTANTS_INTERLEAVE_PROGRAM_HARNESS_H_
