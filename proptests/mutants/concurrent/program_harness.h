// Checks that random Programs find a mutant: the `programs` mode of harness.cc.

#ifndef PROPTESTS_MUTANTS_CONCURRENT_PROGRAM_HARNESS_H_
#define PROPTESTS_MUTANTS_CONCURRENT_PROGRAM_HARNESS_H_

#include "proptests/mutants/concurrent/mutant.h"

namespace twingrad::mutants {

// Random Programs must find the mutant by the detector that its row names, with the engine's rules
// on and off, and the finding must be small and replay. Prints rows and findings. Returns the exit
// status, 0 if all of this holds.
int FindByPrograms(const Mutant& mutant);

}  // namespace twingrad::mutants

#endif  // PROPTESTS_MUTANTS_CONCURRENT_PROGRAM_HARNESS_H_
