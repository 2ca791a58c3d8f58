// Runs one shard: a run of `check` or `explore` with one worker, written down as it goes, so that
// a kill at any moment repeats a few seconds of it and counts nothing twice.

#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "fuzz/campaign/folder.h"
#include "fuzz/campaign/plan.h"
#include "proptests/findings/finding.h"
#include "proptests/workers/case.h"
#include "proptests/workers/worker_process.h"

namespace twingrad::campaign {

struct ShardTask {
  std::string folder;  // the campaign's
  uint64_t shard = 0;
  Job job;
  workers::WorkerCommand worker;
  workers::CaseSource& source;
  findings::Origin origin;  // its seed is the shard's
  // Asked often: whether to write down what there is, and end.
  std::function<bool()> stop = [] { return false; };
  // Between two checkpoints; a kill repeats what was judged in between.
  double interval = 2;
};

enum class ShardEnd {
  kDone,
  kReleased,  // by `stop`: the next to come goes on
  kTaken,     // by another worker, which had waited a lease for a sign of life
};

// Runs the shard from where `view` leaves it; `writer` is its claimed epoch, view.epoch + 1.
absl::StatusOr<ShardEnd> RunShard(const ShardTask& task, const ShardView& view,
                                  RecordWriter writer);

// Whether its Programs, as far as it has come, were counted once each.
bool CountsOnce(const ShardState& state, uint64_t seed);

}  // namespace twingrad::campaign
