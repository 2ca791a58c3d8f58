// Random Programs, valid by construction: what every random test and every fuzz target starts from.
//
// A Program is a few leaves, a body composed of the parts in this folder's other files, and calls
// of the engine at its end. Most data are small integers and most ops keep them exact, so that
// gradients can be compared bit by bit; most Programs end with a second derivative. The same seed
// and options give the same Program on every machine and in every process.

#pragma once

#include <cstdint>

#include "autograd/program/program.h"
#include "proptests/generators/options.h"
#include "proptests/generators/source.h"

namespace twingrad::generators {

// `*drawn` receives the features that the Program contains.
twingrad::program::Program Generate(Source& source, const GeneratorOptions& options = {},
                                    Features* drawn = nullptr);

inline twingrad::program::Program Generate(uint64_t seed, const GeneratorOptions& options = {},
                                           Features* drawn = nullptr) {
  Source source = Source::FromSeed(seed);
  return Generate(source, options, drawn);
}

}  // namespace twingrad::generators
