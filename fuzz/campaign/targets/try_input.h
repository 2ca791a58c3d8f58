// One input, given to a fresh process of a fuzz target.

#pragma once

#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "fuzz/campaign/targets/child.h"
#include "fuzz/campaign/targets/target.h"
#include "proptests/workers/case.h"

namespace twingrad::campaign {

// Waits for the child's end; may kill it.
using AwaitChild = std::function<void(Child&)>;
void AwaitEnd(Child& child);

// What the target says to the input; nothing: it passes. `folder` is made anew for what it writes.
absl::StatusOr<std::optional<workers::CaseResult>> TryInput(const Target& target,
                                                            const std::string& input,
                                                            const std::string& folder,
                                                            const AwaitChild& await = AwaitEnd);

// The file that a target left in the folder, of the input that killed it; empty: none.
std::string ArtifactIn(const std::string& folder);

}  // namespace twingrad::campaign
