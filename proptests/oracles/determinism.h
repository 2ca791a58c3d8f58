// Two runs of one Program show the same bits, whatever the number of threads.

#pragma once

#include <string>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::oracles {

// Compares values, gradients, versions, counts and what each hook saw. If `threads` is set and a
// run ended in an error, .grad and the kind of error may depend on timing; nothing else may, and
// what follows an error that the Program survives is skipped. `names` says which runs they are.
Verdict JudgeDeterminism(const twingrad::program::Program& program,
                         const twingrad::program::Observation& a,
                         const twingrad::program::Observation& b, bool threads,
                         const std::string& names);

}  // namespace twingrad::oracles
