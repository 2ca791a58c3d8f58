// Campaigns that nobody ran, with findings that nobody found: for tests and measurements of merges.

#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace twingrad::campaign {

// Makes the folder of a campaign whose shards are all done, of ten Programs each, with so many
// findings of so many kinds, spread over the shards; of one kind no two have the same text.
absl::Status MakeSynthetic(const std::string& folder, uint64_t shards, uint64_t findings,
                           uint64_t kinds);

}  // namespace twingrad::campaign
