#include "proptests/generators/options.h"

#include <algorithm>
#include <array>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "autograd/program/signature.h"

namespace twingrad::generators {
namespace {

constexpr std::array<std::string_view, kNumFeatures> kWords = {
    "chain",         "fan_out",      "diamond", "ladder",   "shared_subgraph", "repeated_operand",
    "several_roots", "unused_input", "view",    "in_place", "devices",         "calls",
    "grad_of_grad",  "hook",         "error",   "numbers",  "no_grad",         "order",
    "anomaly",       "saved_hooks",  "custom",  "any_op",   "threads",         "aliases"};

// `words` are those of the bits, in their order.
template <size_t kSize>
absl::Status SetBits(std::string_view list, const char* what,
                     const std::array<std::string_view, kSize>& words, std::bitset<kSize>* bits) {
  std::bitset<kSize> named;
  const bool removes = absl::StartsWith(list, "-");
  for (absl::string_view word : absl::StrSplit(list, ',')) {
    if (absl::ConsumePrefix(&word, "-") != removes) {
      return absl::InvalidArgumentError(
          absl::StrCat("[generator] the list of ", what, " '", list,
                       "' mixes words with and without '-'; use one kind"));
    }
    const auto at = std::find(words.begin(), words.end(), word);
    if (at == words.end()) {
      return absl::InvalidArgumentError(absl::StrCat("[generator] unknown word '", word,
                                                     "' in the list of ", what,
                                                     "; known ones: ", absl::StrJoin(words, " ")));
    }
    named.set(static_cast<size_t>(at - words.begin()));
  }
  *bits = removes ? *bits & ~named : named;
  return absl::OkStatus();
}

}  // namespace

std::string_view FeatureWord(Feature feature) { return kWords[static_cast<size_t>(feature)]; }

absl::Status SetFeatures(std::string_view list, GeneratorOptions* options) {
  return SetBits(list, "features", kWords, &options->features);
}

absl::Status SetOps(std::string_view list, GeneratorOptions* options) {
  std::array<std::string_view, program::kNumOpcodes> names;
  for (const program::Signature& signature : program::Signatures()) {
    names[static_cast<size_t>(signature.op)] = signature.name;
  }
  return SetBits(list, "ops", names, &options->ops);
}

absl::Status SetDevice(std::string_view word, GeneratorOptions* options) {
  constexpr auto kDevices = static_cast<size_t>(Feature::kDevices);
  if (word == "cpu") {
    options->features.reset(kDevices);
    return absl::OkStatus();
  }
  absl::string_view count = word;
  int devices = word == "cuda" ? 1 : 0;
  if (devices == 0 &&
      (!(absl::ConsumePrefix(&count, "sim:") || absl::ConsumePrefix(&count, "cuda:")) ||
       !absl::SimpleAtoi(count, &devices) || devices < 1 || devices > kMostDevices)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "[generator] no device '", word, "'; allowed are cpu, sim:1 to sim:", kMostDevices,
        ", so many simulated accelerators, and cuda or cuda:1 to cuda:", kMostDevices));
  }
  options->on_cuda = absl::StartsWith(word, "cuda");
  // What races there has wrong values.
  if (options->on_cuda) options->races = 0;
  options->features.set(kDevices);
  options->devices = devices;
  options->on_devices = true;
  return absl::OkStatus();
}

absl::Status SetWeights(std::string_view word, GeneratorOptions* options) {
  if (word != "swarm" && word != "fixed") {
    return absl::InvalidArgumentError(
        absl::StrCat("[generator] unknown weights '", word, "'; known ones: swarm fixed"));
  }
  options->weights = word == "swarm" ? Weights::kSwarm : Weights::kFixed;
  return absl::OkStatus();
}

}  // namespace twingrad::generators
