// Regions that switch a mode of the engine. See execution.h.

#include <cstdint>
#include <memory>
#include <optional>

#include "autograd/graph/anomaly.h"
#include "autograd/runner/execution.h"

namespace twingrad::runner {

using program::RegionKind;

std::optional<program::ErrorRecord> Execution::EnterRegion(int32_t begin, RegionKind kind) {
  if (kind == RegionKind::kSavedTensorHooks) {
    saved_hooks_.push_back(std::make_unique<SavedTensorHooksGuard>(SavedHooksOf(begin)));
    return std::nullopt;
  }
  if (kind != RegionKind::kAnomaly) return program::RefuseRegion(begin, kind);
  modes_before_regions_.push_back(CurrentThread().modes);
  // Nodes note the statement that made them, which says more than a stack.
  AnomalyMode::SetEnabled(true, {.capture_stacks = false});
  return std::nullopt;
}

void Execution::LeaveRegion(int32_t, RegionKind kind) {
  if (kind == RegionKind::kSavedTensorHooks) return saved_hooks_.pop_back();
  CurrentThread().modes = modes_before_regions_.back();
  modes_before_regions_.pop_back();
}

}  // namespace twingrad::runner
