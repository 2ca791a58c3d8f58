#include "proptests/generators/options.h"

#include <array>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "autograd/program/signature.h"

namespace twingrad::generators {
namespace {

using twingrad::program::Opcode;

constexpr std::array<std::string_view, kNumFeatures> kWords = {
    "chain",         "fan_out",      "diamond", "ladder",   "shared_subgraph", "repeated_operand",
    "several_roots", "unused_input", "view",    "in_place", "devices",         "calls",
    "grad_of_grad",  "hook",         "error",   "numbers",  "no_grad",         "order"};

std::optional<size_t> FeatureOf(std::string_view word) {
  for (size_t i = 0; i < kWords.size(); ++i) {
    if (kWords[i] == word) return i;
  }
  return std::nullopt;
}

std::optional<size_t> OpOf(std::string_view word) {
  const std::optional<Opcode> op = twingrad::program::OpcodeFromName(word);
  if (!op) return std::nullopt;
  return static_cast<size_t>(*op);
}

std::string KnownOps() {
  std::string known;
  for (const twingrad::program::Signature& signature : twingrad::program::Signatures()) {
    absl::StrAppend(&known, known.empty() ? "" : " ", std::string(signature.name));
  }
  return known;
}

template <size_t kSize>
absl::Status SetBits(std::string_view list, const char* what, const std::string& known,
                     std::optional<size_t> (*find)(std::string_view), std::bitset<kSize>* bits) {
  std::bitset<kSize> named;
  bool removes = false;
  bool first = true;
  for (absl::string_view piece : absl::StrSplit(absl::string_view(list.data(), list.size()), ',')) {
    std::string_view word(piece.data(), piece.size());
    const bool minus = !word.empty() && word.front() == '-';
    if (first) removes = minus;
    if (minus != removes) {
      return absl::InvalidArgumentError(
          absl::StrCat("[generator] the list of ", what, " '", std::string(list),
                       "' mixes words with and without '-'; use one kind"));
    }
    first = false;
    if (minus) word.remove_prefix(1);
    const std::optional<size_t> at = find(word);
    if (!at) {
      return absl::InvalidArgumentError(absl::StrCat("[generator] unknown word '",
                                                     std::string(word), "' in the list of ", what,
                                                     "; known ones: ", known));
    }
    named.set(*at);
  }
  *bits = removes ? *bits & ~named : named;
  return absl::OkStatus();
}

}  // namespace

std::string_view FeatureWord(Feature feature) { return kWords[static_cast<size_t>(feature)]; }

absl::Status SetFeatures(std::string_view list, GeneratorOptions* options) {
  std::string known;
  for (std::string_view word : kWords) {
    absl::StrAppend(&known, known.empty() ? "" : " ", std::string(word));
  }
  return SetBits(list, "features", known, FeatureOf, &options->features);
}

absl::Status SetOps(std::string_view list, GeneratorOptions* options) {
  return SetBits(list, "ops", KnownOps(), OpOf, &options->ops);
}

}  // namespace twingrad::generators
