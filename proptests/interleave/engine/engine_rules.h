// EngineRules: what holds of the engine's runs, queues and workers after every step.
//
// Of a run on several threads, while nobody is in the midst of changing it:
//   contributions  a node waits for as many as its slots do; no slot gets more than it expects
//   outstanding    counts the nodes that are ready and have not ended
//   queued         what is queued or being evaluated is outstanding, ready, and queued once
//   error          a run that has failed and ended has its error
//   finished       it has evaluated every node, or failed; from then on it does not change
//   over           what has returned without an error has nothing in a queue
// Of a queue:
//   order          the task with the highest order key is the first
//   shut down      for good, and nothing is pushed any more
// Of workers:
//   stopping       their queues are shut down once no run is left, and no run comes after that
#ifndef PROPTESTS_INTERLEAVE_ENGINE_ENGINE_RULES_H_
#define PROPTESTS_INTERLEAVE_ENGINE_ENGINE_RULES_H_

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
    const twingrad::ReadyQueue* queue;
    std::optional<uint64_t> pushes_at_end;  // when it was seen shut down first
  };
  struct Run {
    const twingrad::SharedRun* run;
    std::optional<RunInspector::State> finished;  // as it was seen first with nothing left to do
  };

  std::optional<BrokenRule> CheckQueue(Queue& queue);
  std::optional<BrokenRule> CheckWorkers(const twingrad::WorkerGroup& workers);
  std::optional<BrokenRule> CheckRun(Run& run);
  std::optional<BrokenRule> CheckTasks(const twingrad::SharedRun& run,
                                       const RunInspector::State& seen);

  bool has_seen_all_ = false;  // nothing was held
  std::vector<Queue> queues_;
  std::vector<Run> runs_;
  std::vector<const twingrad::WorkerGroup*> workers_;
  std::vector<uint32_t> queued_;  // of one run; kept for its room
};

}  // namespace twingrad::interleave

#endif  // PROPTESTS_INTERLEAVE_ENGINE_ENGINE_RULES_H_
