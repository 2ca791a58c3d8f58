// Whether random Programs find a mutant: the `programs` mode of harness.cc.

#ifndef PROPTESTS_MUTANTS_CONCURRENT_PROGRAM_HARNESS_H_
#define PROPTESTS_MUTANTS_CONCURRENT_PROGRAM_HARNESS_H_

#include "proptests/mutants/concurrent/mutant.h"

namespace twingrad::mutants {

// Random Programs must find the mutant by the detector that its row names, with the engine's rules
// checked and without, and what they find must be small and replay. Prints rows and findings; exit
// status 0 if all is so.
int FindByPrograms(const Mutant& mutant);

}  // namespace twingrad::mutants

#endif  // PROPTESTS_MUTANTS_CONCURRENT_PROGRAM_HARNESS_H_
