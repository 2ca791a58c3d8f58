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
#include <string>
#include <typeinfo>
#include <vector>

#include "absl/functional/function_ref.h"
#include "autograd/engine/ready_queue.h"
#include "autograd/engine/shared_run.h"
#include "autograd/engine/worker.h"
#include "autograd/sync/inspected.h"
#include "proptests/interleave/checker/state_rules.h"

// How the private state is read: without a lock, and unseen by the race detector. So only a checker
// that has stopped all threads may do it; it finds the objects by their AG_INSPECTED. If `is_held`
// is set, a thread is in the middle of changing the object: the other fields are then meaningless
// except where a comment says otherwise.
namespace twingrad::sync {

template <>
class Inspector<ReadyQueue> {
 public:
  struct State {
    bool is_held = false;
    bool is_in_order = true;  // is a heap, of which Pop takes the first
    bool is_shut_down = false;
    uint64_t pushes = 0;
  };
  static State Look(const ReadyQueue& queue);
  // Visits the queued tasks in no particular order; valid also while the queue is held.
  static void ForEachTask(const ReadyQueue& queue, absl::FunctionRef<void(const NodeTask&)> visit);
};

template <>
class Inspector<SharedRun> {
 public:
  struct State {
    bool is_built = false;
    bool has_failed = false;
    bool has_error = false;
    bool is_over = false;  // if set, the fields below are meaningless
    uint32_t outstanding = 0;
    uint32_t in_flight = 0;
    uint32_t evaluated = 0;
    uint32_t nodes = 0;  // number of nodes that must be evaluated
    uint32_t ready = 0;  // those of them with no contribution missing
    // What is wrong with the first node whose count of missing contributions differs from what its
    // slots miss, or one of whose slots has received more than it expects; empty if there is none.
    std::string odd_node;
  };
  // The run must not be held.
  static State Look(const SharedRun& run);
  static bool IsHeld(const SharedRun& run);
  // Whether no contribution to this node is missing. The run must be built and not over.
  static bool IsReady(const SharedRun& run, uint32_t index);

 private:
  // How many contributions a node's slots still miss; nullopt if one has more than it expects.
  static std::optional<uint32_t> MissingOf(const SharedRun& run, uint32_t index);
};

template <>
class Inspector<WorkerGroup> {
 public:
  struct State {
    bool is_held = false;
    bool is_stopping = false;
    bool is_stopped = false;
    int runs = 0;
    int threads = 0;
    bool is_queue_shut_down = false;  // any of the workers' queues
  };
  static State Look(const WorkerGroup& workers);
};

}  // namespace twingrad::sync

namespace twingrad::interleave {

using QueueInspector = sync::Inspector<ReadyQueue>;
using RunInspector = sync::Inspector<SharedRun>;
using WorkersInspector = sync::Inspector<WorkerGroup>;

class EngineRules final : public StateRules {
 public:
  void Begin() override;
  void Appear(const std::type_info& type, const void* object) override;
  void Vanish(const std::type_info& type, const void* object) override;
  bool Touch(const void* cell) override;
  std::optional<BrokenRule> Check() override;
  bool HasSeenAll() const override { return has_seen_all_; }

 private:
  // A live object.
  template <class T>
  struct Watched {
    const T* object;
    bool is_changed = true;  // since its rules were last checked

    bool Has(const void* cell) const {
      const auto offset = reinterpret_cast<uintptr_t>(cell) - reinterpret_cast<uintptr_t>(object);
      return offset < sizeof(T);
    }
  };
  struct Queue : Watched<ReadyQueue> {
    std::optional<uint64_t> pushes_at_end = {};  // pushes when it was first seen shut down
  };
  struct Run : Watched<SharedRun> {
    RunInspector::State seen = {};                     // at the last look
    std::optional<RunInspector::State> finished = {};  // when first seen with nothing left to do
  };
  using Workers = Watched<WorkerGroup>;

  // For an object that is held nothing is checked, and it stays or becomes `is_changed`.
  std::optional<BrokenRule> CheckQueue(Queue& queue);
  std::optional<BrokenRule> CheckWorkers(Workers& workers);
  std::optional<BrokenRule> CheckRun(Run& run);
  std::optional<BrokenRule> CheckTasks(const SharedRun& run, const RunInspector::State& seen);

  bool has_seen_all_ = false;  // no changed object was held during the last Check
  std::vector<Queue> queues_;
  std::vector<Run> runs_;
  std::vector<Workers> workers_;
  std::vector<uint32_t> queued_;  // of one run; a member to reuse its memory
};

}  // namespace twingrad::interleave
