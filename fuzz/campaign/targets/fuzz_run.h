// Runs one shard of a fuzz job: a target driven by libFuzzer, written down as it goes.
//
// Each epoch has a folder of its own for the inputs that libFuzzer keeps, CAMPAIGN/corpora/EPOCH,
// and begins with those of the epochs before. A kill loses what was tried since the last
// checkpoint, and no input that was kept.

#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "fuzz/campaign/folder.h"
#include "fuzz/campaign/plan.h"
#include "fuzz/campaign/shard_run.h"
#include "fuzz/campaign/targets/target.h"

namespace twingrad::campaign {

struct FuzzTask {
  std::string folder;  // the campaign's
  uint64_t shard = 0;
  Job job;
  Target target;
  uint64_t seed = 0;
  // Asked often: whether to write down what there is, and end.
  std::function<bool()> stop = [] { return false; };
  double interval = 2;
};

// Runs the shard from where `view` leaves it; `writer` is its claimed epoch, view.epoch + 1.
absl::StatusOr<ShardEnd> RunFuzzShard(const FuzzTask& task, const ShardView& view,
                                      RecordWriter writer);

}  // namespace twingrad::campaign
