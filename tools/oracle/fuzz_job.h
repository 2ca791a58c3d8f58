// What a job of kind `fuzz` says: its flags, as a plan has them.

#pragma once

#include "absl/status/statusor.h"
#include "fuzz/campaign/plan.h"
#include "fuzz/campaign/targets/target.h"
#include "proptests/findings/description.h"

namespace twingrad::oracle {

// The target of a job, whose flags are checked; its files need not be there.
absl::StatusOr<campaign::Target> TargetOf(const campaign::Job& job);
// The target of a finding.
campaign::Target TargetOf(const findings::Description& description);

}  // namespace twingrad::oracle
