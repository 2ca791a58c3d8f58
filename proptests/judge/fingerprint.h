// Fingerprints of Observations: 64 bits that are the same in every process.

#pragma once

#include <cstdint>

#include "autograd/program/observation.h"

namespace twingrad::judge {

// Of everything an Observation holds but the texts of errors.
uint64_t FingerprintOf(const twingrad::program::Observation& observation);
// Of the order in which nodes ran, over all calls.
uint64_t OrderFingerprintOf(const twingrad::program::Observation& observation);

}  // namespace twingrad::judge
