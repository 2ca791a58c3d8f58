// EngineRules: invariants of the engine's runs, queues and workers, checked after every step.
//
// A run on several threads, while no thread is in the middle of changing it:
//   contributions  a node waits for as many as its slots do; no slot gets more than it expects
//   outstanding    equals the number of nodes that are ready and have not ended
//   queued         a node queued or being evaluated is outstanding, ready, and queued only once
//   error          a run that has failed and ended has its error
//   finished       a finished run has evaluated every node, or failed; it does not change any more
//   over           a run that has returned without an error has nothing in a queue
// A queue:
//   order          the task with the highest order key is the first
//   shut down      is permanent, and nothing is pushed after it
// Workers:
//   stopping       queues are shut down only once no run is left, and no run starts after that
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "proptests/interleave/checker/state_rules.h"
#include "proptests/interleave/engine/engine_inspector.h"

namespace twingrad::interleave {

class EngineRules final : public StateRules {
 public:
  void Begin() override;
  void Appear(const std::type_info& type, const void* object) override;
  void Vanish(const std::type_info& type, const void* object) override;
  std::optional<BrokenRule> Check() override;
  bool HasSeenAll() const override { return has_seen_all_; }

 private:
  struct Queue {
    const ReadyQueue* queue;
    std::optional<uint64_t> pushes_at_end;  // pushes when it was first seen shut down
  };
  struct Run {
    const SharedRun* run;
    std::optional<RunInspector::State> finished;  // state when first seen with nothing left to do
  };

  std::optional<BrokenRule> CheckQueue(Queue& queue);
  std::optional<BrokenRule> CheckWorkers(const WorkerGroup& workers);
  std::optional<BrokenRule> CheckRun(Run& run);
  std::optional<BrokenRule> CheckTasks(const SharedRun& run, const RunInspector::State& seen);

  bool has_seen_all_ = false;  // no object was held during the last Check
  std::vector<Queue> queues_;
  std::vector<Run> runs_;
  std::vector<const WorkerGroup*> workers_;
  std::vector<uint32_t> queued_;  // of one run; a member to reuse its memory
};

}  // namespace twingrad::interleave
