// Checks that random Programs find a mutant: the `programs` mode of harness.cc.

#pragma once

#include "proptests/mutants/concurrent/mutant.h"

namespace twingrad::mutants {

// Random Programs must find the mutant by the detector that its row names, with the engine's rules
// on and off, and the finding must be small and replay. Prints rows and findings. Returns the exit
// status, 0 if all of this holds.
int FindByPrograms(const Mutant& mutant);

}  // namespace twingrad::mutants
