// Fingerprints of Observations: 64 bits that are the same in every process.

#ifndef PROPTESTS_JUDGE_FINGERPRINT_H_
#define PROPTESTS_JUDGE_FINGERPRINT_H_

#include <cstdint>

#include "autograd/program/observation.h"

namespace twingrad::judge {

// Of everything an Observation holds but the texts of errors.
uint64_t FingerprintOf(const twingrad::program::Observation& observation);
// Of the order in which nodes ran, over all calls.
uint64_t OrderFingerprintOf(const twingrad::program::Observation& observation);

}  // namespace twingrad::judge

#endif  // PROPTESTS_JUDGE_FINGERPRINT_H_
