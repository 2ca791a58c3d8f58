// What hooks read of a `.grad` that several thread sections add to.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

using reference::SharedReads;

constexpr std::string_view kOracle = "shared reads";

const HookRecord* Find(const Observation& observed, const SharedReads::Place& place) {
  for (const CallRecord& call : observed.calls) {
    if (call.statement != place.call) continue;
    for (const HookRecord& hook : call.hooks) {
      if (hook.statement == place.hook) return &hook;
    }
  }
  return nullptr;
}

bool Holds(const std::vector<SharedReads::Seen>& order,
           const std::vector<const HookRecord*>& actual) {
  return std::equal(order.begin(), order.end(), actual.begin(), actual.end(),
                    [](const SharedReads::Seen& seen, const HookRecord* record) {
                      return record->gradient_defined &&
                             !Compare(seen.data, record->gradient, seen.bound.bound);
                    });
}

// The first numbers, one a call.
std::string FirstElements(const std::vector<TensorData>& reads) {
  return absl::StrJoin(reads, ", ", [](std::string* out, const TensorData& data) {
    absl::StrAppend(out, data.bits.empty() ? "nothing" : ElementText(data, 0));
  });
}

Verdict NoOrderHolds(const Evidence& evidence, const SharedReads& reads,
                     const std::vector<const HookRecord*>& actual) {
  std::vector<TensorData> seen;
  for (const HookRecord* record : actual) seen.push_back(record->gradient);
  std::vector<TensorData> one_order;
  for (const SharedReads::Seen& read : reads.orders[0]) one_order.push_back(read.data);
  const int call = reads.places[0].call;
  std::string rounding = "\n";  // of the first read that is not that order's
  for (size_t i = 0; i < one_order.size(); ++i) {
    const Difference difference = Compare(one_order[i], seen[i], reads.orders[0][i].bound.bound);
    if (difference.kind != Difference::Kind::kElement) continue;
    rounding = RoundingText(one_order[i], seen[i], difference.index);
    break;
  }
  return Disagree(
      kOracle,
      absl::StrCat("shared reads: hooks of ", NameOf(evidence.program, reads.leaf),
                   " read sums that no order of the calls gives\n", "  in ", reads.orders.size(),
                   " orders of the calls, the first element in one", rounding,
                   ExpectedText(FirstElements(one_order), FirstElements(seen)), "  ",
                   EngineText(evidence), "\n"),
      {reads.places[0].hook, call});
}

}  // namespace

Verdict JudgeSharedReads(const Evidence& evidence) {
  for (const SharedReads& reads : evidence.expected.shared_reads) {
    std::vector<const HookRecord*> actual;
    for (const SharedReads::Place& place : reads.places) {
      const HookRecord* record = Find(evidence.observed, place);
      if (record != nullptr) actual.push_back(record);
    }
    // That one is missing has been said of the hooks of its call.
    if (actual.size() != reads.places.size()) continue;
    const bool holds = std::any_of(reads.orders.begin(), reads.orders.end(),
                                   [&](const auto& order) { return Holds(order, actual); });
    if (!holds) return NoOrderHolds(evidence, reads, actual);
  }
  return Agree(kOracle);
}

}  // namespace twingrad::oracles
