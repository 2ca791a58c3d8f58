// Random Programs, valid by construction: what every random test and every fuzz target starts from.
//
// A Program is a few leaves, a body composed of the parts in this folder's other files, and calls
// of the engine at its end. Most data are small integers and most ops keep them exact, so that
// gradients can be compared bit by bit; most Programs end with a second derivative. The same seed
// and options give the same Program on every machine and in every process.
//
// What falls over depth, or counts edges in 16 bits, shows on graphs of 100,000 nodes alone. They
// cost what thousands of other Programs do, so few seeds make one, and only where the options ask
// for it; bytes never do.

#pragma once

#include <cstdint>

#include "autograd/program/program.h"
#include "proptests/generators/options.h"
#include "proptests/generators/source.h"

namespace twingrad::generators {

// `*drawn` receives the features that the Program contains. options.long_graph is not asked.
twingrad::program::Program Generate(Source& source, const GeneratorOptions& options = {},
                                    Features* drawn = nullptr);
twingrad::program::Program Generate(uint64_t seed, const GeneratorOptions& options = {},
                                    Features* drawn = nullptr);

// Whether this seed makes a long graph where options.long_graph asks for it: one in kLongSample.
bool IsLongSample(uint64_t seed);
inline constexpr int kLongSample = 100'000;

}  // namespace twingrad::generators
