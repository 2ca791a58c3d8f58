// Random Programs for a foreign engine hold only what its hello claims.

#ifndef PROPTESTS_CONFORMANCE_CLAIMS_H_
#define PROPTESTS_CONFORMANCE_CLAIMS_H_

#include "proptests/generators/options.h"
#include "proptests/protocol/hello.h"

namespace twingrad::conformance {

// Takes out of `options` what the hello does not claim.
void KeepClaimed(const protocol::Hello& hello, generators::GeneratorOptions* options);

}  // namespace twingrad::conformance

#endif  // PROPTESTS_CONFORMANCE_CLAIMS_H_
