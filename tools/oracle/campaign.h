// What the verbs of `oracle campaign` share.

#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "fuzz/campaign/plan.h"
#include "tools/oracle/arguments.h"
#include "tools/oracle/verb.h"

namespace twingrad::oracle {

// The command line of a job's shards, as `check` or `explore` takes it; those of `conformance` are
// shards of `check`.
absl::StatusOr<Arguments> ArgumentsOf(const campaign::Job& job, uint64_t seed);

// Takes shards in this process, or in `jobs` others, until none is left. The exit status.
absl::StatusOr<int> WorkOn(const std::string& folder, uint64_t jobs);

// Makes the page, the database and all else of a merge. The exit status.
absl::StatusOr<int> MergeInto(const std::string& folder, const subjects::SubjectFactory& make);

// The folder that a verb's operand names.
std::string FolderOf(const Arguments& arguments);

}  // namespace twingrad::oracle
