// Findings of one defect as one row: the same oracle, the same complaint without the statement that
// it quotes, and what the minimized Programs are made of.
//
// A signature tells two findings apart as soon as one statement more is left of one of them. So a
// defect of `add` comes as `add` with `sum` behind it, as `add` twice, as `add` of what `matmul`
// gave. Statements that almost every Program needs to have a gradient at all do not count, and a
// finding belongs to the row whose statements are a part of its own, the fewest first. Pure
// functions.

#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/campaign/shard_state.h"

namespace twingrad::campaign {

struct MergedFinding;

// What two findings of a row share, and what tells rows apart.
struct Coarse {
  std::string rule;
  std::string complaint;
  // "add", "hook do=throw", "begin kind=no_grad": of what only helps, nothing, unless there is
  // nothing else.
  std::set<std::string> statements;
};

Coarse CoarseOf(const ShardFinding& finding);
// The same in every campaign that finds it.
std::string CoarseSignature(const Coarse& coarse);

struct FindingGroup {
  Coarse coarse;          // of its first finding
  std::string signature;  // of `coarse`
  bool planted = false;
  // Places in the list of findings: the one with the fewest statements first.
  std::vector<size_t> findings;
  uint64_t failures = 0;
  std::set<uint64_t> shards;
};

// In the order in which `findings` has the earliest of each.
std::vector<FindingGroup> GroupFindings(const std::vector<MergedFinding>& findings);

}  // namespace twingrad::campaign
