// What a generated Program may contain: features, ops and sizes.
//
// A feature is what one part (parts.h) or a call makes; its word is the part's name. A
// feature that is switched off occurs nowhere, so `--features=chain,view` allows these two alone.

#pragma once

#include <bitset>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "autograd/base/dtype.h"
#include "autograd/program/opcode.h"

namespace twingrad::generators {

enum class Feature : uint8_t {
  kChain,
  kFanOut,
  kDiamond,
  kLadder,
  kSharedSubgraph,
  kRepeatedOperand,
  kSeveralRoots,
  kUnusedInput,
  kView,
  kInPlace,
  kDevices,
  kCalls,  // flags of calls, several calls in a row; without it one plain backward
  kGradOfGrad,
  kHook,
  kError,
  kNumbers,     // types beside f64, casts, large magnitudes, infinities
  kNoGrad,      // no_grad regions and detach
  kOrder,       // sums whose bits reveal the order of their terms: 1e8, 1, -1e8
  kAnomaly,     // regions of anomaly mode, with gradients that are NaN and others
  kSavedHooks,  // regions of saved-tensor hooks
  kCustom,      // custom functions
  kAnyOp,       // ops drawn from all alike
  kThreads,     // sections that run at the same time
  kAliases,     // views, writes and hooks over one memory, one after the other
};
inline constexpr int kNumFeatures = static_cast<int>(Feature::kAliases) + 1;

using Features = std::bitset<kNumFeatures>;

// The word of a feature: the name of its part.
std::string_view FeatureWord(Feature feature);

// How often a Program's parts are drawn: by weights of its own (swarm.h), or by the same for all.
enum class Weights : uint8_t { kSwarm, kFixed };

inline constexpr int kMostStreams = 8;
inline constexpr int kMostDevices = 8;

struct GeneratorOptions {
  Features features = Features().set();
  // Ops that may be used. Leaves and calls are always made, regardless of this set.
  std::bitset<twingrad::program::kNumOpcodes> ops =
      std::bitset<twingrad::program::kNumOpcodes>().set();
  // Element types that may be used; f32, i64 and bool where kNumbers is.
  std::bitset<std::size(twingrad::kDTypes)> dtypes =
      std::bitset<std::size(twingrad::kDTypes)>().set();
  int statements = 17;    // on average
  int max_elements = 24;  // of a leaf
  int max_rank = 4;
  int devices = 3;  // how many accelerators a Program may name
  int streams = 3;  // how many streams of each it may name, at most kMostStreams
  // Most leaves lie on accelerators, and the streams change between all parts.
  bool on_devices = false;
  bool on_cuda = false;  // devices are GPUs; whoever runs Programs sees to it
  // Some Programs with streams lack an event or a wait, at most so many.
  int races = 1;
  // One seed in kLongSample makes a Program with a graph of at least so many nodes, if kChain is
  // among the features; 0: none does.
  int long_graph = 0;
  // Which calls of the engine a Program may contain.
  bool backward = true;
  bool grad = true;
  Weights weights = Weights::kSwarm;

  bool Has(Feature feature) const { return features[static_cast<size_t>(feature)]; }
  bool Has(twingrad::program::Opcode op) const { return ops[static_cast<size_t>(op)]; }
  bool Has(twingrad::DType dtype) const { return dtypes[static_cast<size_t>(dtype)]; }
};

// Reads a comma-separated list of feature words: `view,in_place` means these alone, `-hook,-error`
// all but these. An unknown word is an error that lists the known ones.
absl::Status SetFeatures(std::string_view list, GeneratorOptions* options);
// The same for the text names of ops: `mul,sum` or `-pow`.
absl::Status SetOps(std::string_view list, GeneratorOptions* options);
// Reads `cpu`, where nothing is on an accelerator, or `sim:3`, where almost everything is on so
// many; `cuda` or `cuda:3` where those are GPUs.
absl::Status SetDevice(std::string_view word, GeneratorOptions* options);
// Reads `swarm` or `fixed`.
absl::Status SetWeights(std::string_view word, GeneratorOptions* options);

}  // namespace twingrad::generators
