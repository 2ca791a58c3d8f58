// Random Programs for a foreign engine hold only what its hello claims.

#pragma once

#include "proptests/generators/options.h"
#include "proptests/protocol/hello.h"

namespace twingrad::conformance {

// Takes out of `options` what the hello does not claim.
void KeepClaimed(const protocol::Hello& hello, generators::GeneratorOptions* options);

}  // namespace twingrad::conformance
