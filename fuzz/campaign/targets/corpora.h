// The inputs that the shards of fuzz jobs have kept, of all epochs: CAMPAIGN/corpora/EPOCH.

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fuzz/campaign/merge.h"
#include "fuzz/campaign/targets/target.h"

namespace twingrad::campaign {

std::string CorpusPath(const std::string& folder, uint64_t shard, uint64_t epoch);

// The folders of a shard's epochs up to this one, as far as there are any.
std::vector<std::string> CorporaOf(const std::string& folder, uint64_t shard, uint64_t epoch);

// The command that makes `into` hold fewest of the inputs of `from` that together cover what all
// do, and writes to the file `control` what each covers.
std::vector<std::string> MinimizeCommand(const Target& target, const std::string& into,
                                         const std::string& control,
                                         const std::vector<std::string>& from);

// Minimizes the inputs of all shards of one fuzz job together, with the seeds, into the folder
// merged/corpora/JOB of the campaign, which is made anew; JOB is counted from 1. Returns how many
// are left. An error leaves what was there.
absl::StatusOr<uint64_t> MergeCorpora(const Merged& merged, uint32_t job, const Target& target);

}  // namespace twingrad::campaign
