#include "proptests/judge/statistics.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace twingrad::judge {
namespace {

// All counters in one fixed order.
template <typename Stats>
auto Counters(Stats& s) {
  return std::array{&s.programs,
                    &s.statements,
                    &s.runs,
                    &s.nodes_executed,
                    &s.findings,
                    &s.skipped,
                    &s.compared.values,
                    &s.compared.gradients_exact,
                    &s.compared.gradients_bounded,
                    &s.compared.gradients_not_compared,
                    &s.compared.counts_predicted,
                    &s.compared.counts_recounted,
                    &s.twin_judged,
                    &s.dual_first,
                    &s.dual_second,
                    &s.dual_kinks,
                    &s.errors_judged,
                    &s.linearity_judged};
}

}  // namespace

void Statistics::Merge(const Statistics& other) {
  const auto own = Counters(*this);
  const auto others = Counters(other);
  for (size_t i = 0; i < own.size(); ++i) *own[i] += *others[i];
  for (size_t i = 0; i < traits.size(); ++i) traits[i] += other.traits[i];
  for (size_t i = 0; i < opcodes.size(); ++i) opcodes[i] += other.opcodes[i];
}

std::string Statistics::ToText() const {
  std::string text;
  const auto append = [&text](uint64_t number) {
    absl::StrAppend(&text, text.empty() ? "" : " ", number);
  };
  for (const uint64_t* counter : Counters(*this)) append(*counter);
  for (uint64_t count : traits) append(count);
  for (uint64_t count : opcodes) append(count);
  return text;
}

std::optional<Statistics> Statistics::FromText(std::string_view text) {
  Statistics statistics;
  std::vector<uint64_t*> places;
  for (uint64_t* counter : Counters(statistics)) places.push_back(counter);
  for (uint64_t& count : statistics.traits) places.push_back(&count);
  for (uint64_t& count : statistics.opcodes) places.push_back(&count);
  size_t at = 0;
  for (absl::string_view piece : absl::StrSplit(absl::string_view(text.data(), text.size()), ' ')) {
    if (at == places.size() || !absl::SimpleAtoi(piece, places[at])) return std::nullopt;
    ++at;
  }
  if (at != places.size()) return std::nullopt;
  return statistics;
}

}  // namespace twingrad::judge
