#include "proptests/oracles/statistics.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace twingrad::oracles {
namespace {

constexpr std::array<std::string_view, kNumFeatures> kFeatureNames = {
    "view",         "in_place",     "hook",          "retain_grad",   "no_grad",
    "detach",       "devices",      "several_calls", "several_roots", "inputs",
    "seeds",        "retain_graph", "create_graph",  "grad_of_grad",  "unused_allowed",
    "empty_tensor", "scalar_leaf",  "f32",           "integer",       "error",
    "threads"};

// All counters in one fixed order.
template <typename Stats>
auto Counters(Stats& s) {
  return std::array{&s.programs,
                    &s.statements,
                    &s.runs,
                    &s.nodes_executed,
                    &s.findings,
                    &s.skipped,
                    &s.values,
                    &s.gradients,
                    &s.gradients_exact,
                    &s.gradients_bounded,
                    &s.gradients_not_compared,
                    &s.counts_predicted,
                    &s.counts_recounted,
                    &s.twin_judged,
                    &s.dual_first,
                    &s.dual_second,
                    &s.dual_kinks,
                    &s.errors_judged};
}

}  // namespace

std::string_view FeatureName(Feature feature) {
  return kFeatureNames[static_cast<size_t>(feature)];
}

void Statistics::Merge(const Statistics& other) {
  const auto own = Counters(*this);
  const auto others = Counters(other);
  for (size_t i = 0; i < own.size(); ++i) *own[i] += *others[i];
  for (size_t i = 0; i < features.size(); ++i) features[i] += other.features[i];
  for (size_t i = 0; i < opcodes.size(); ++i) opcodes[i] += other.opcodes[i];
}

std::string Statistics::ToText() const {
  std::string text;
  const auto append = [&text](uint64_t number) {
    absl::StrAppend(&text, text.empty() ? "" : " ", number);
  };
  for (const uint64_t* counter : Counters(*this)) append(*counter);
  for (uint64_t count : features) append(count);
  for (uint64_t count : opcodes) append(count);
  return text;
}

std::optional<Statistics> Statistics::FromText(std::string_view text) {
  Statistics statistics;
  std::vector<uint64_t*> places;
  for (uint64_t* counter : Counters(statistics)) places.push_back(counter);
  for (uint64_t& count : statistics.features) places.push_back(&count);
  for (uint64_t& count : statistics.opcodes) places.push_back(&count);
  size_t at = 0;
  for (absl::string_view piece : absl::StrSplit(absl::string_view(text.data(), text.size()), ' ')) {
    if (at == places.size() || !absl::SimpleAtoi(piece, places[at])) return std::nullopt;
    ++at;
  }
  if (at != places.size()) return std::nullopt;
  return statistics;
}

}  // namespace twingrad::oracles
