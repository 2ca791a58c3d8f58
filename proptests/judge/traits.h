// Traits: what the text of a Program holds, for statistics and expected failures.
//
// They are read from the Program, wherever it comes from. The features of proptests/generators say
// what a generator was asked to draw; a Program from a file has traits and no features.

#pragma once

#include <bitset>
#include <cstdint>
#include <string_view>

#include "autograd/program/program.h"

namespace twingrad::judge {

// Things a Program can hold that are worth counting; TraitName gives the printed word.
enum class Trait : uint8_t {
  kView,
  kInPlace,  // custom_ too
  kHook,
  kRetainGrad,
  kNoGrad,
  kDetach,
  kSeveralDevices,
  kSeveralCalls,
  kSeveralRoots,
  kInputs,  // a call with inputs=
  kSeeds,   // a call with an explicit seed
  kRetainGraph,
  kCreateGraph,
  kGradOfGrad,     // a call after one with create_graph
  kUnusedAllowed,  // allow_unused or materialize
  kEmptyTensor,    // a leaf with a dimension of size 0
  kScalarLeaf,     // a leaf without dimensions
  kF32,
  kF16,
  kBF16,
  kI32,
  kInteger,  // an i64, i32 or bool leaf
  kError,    // the run ended in an error
  kThreads,  // a section run by several threads
};
inline constexpr int kNumTraits = static_cast<int>(Trait::kThreads) + 1;
std::string_view TraitName(Trait trait);

// All but Trait::kError, which only a run can tell.
std::bitset<kNumTraits> TraitsOf(const twingrad::program::Program& program);

}  // namespace twingrad::judge
