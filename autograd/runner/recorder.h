// Recorder: watches an engine during one Program and fills the call records of its Observation.
//
//   Recorder recorder(names, observation.calls);
//   engine.SetObserver(&recorder);
//   Recorder::Call call(recorder, record);  ... Backward(...) ...
//
// Nodes appear in the order of their discovery. Evaluations and hooks may come from several
// threads; they are noted in the order in which they take the lock, each in the record of the call
// whose task it belongs to. Calls made in the midst of others have records of their own.
// Calls of thread sections are recorded at the same time; SortCalls puts them into order.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "autograd/device/device_interface.h"
#include "autograd/engine/observer.h"
#include "autograd/program/observation.h"
#include "autograd/runner/node_names.h"
#include "autograd/runner/thread_snapshot.h"
#include "autograd/sync/annotations.h"
#include "autograd/sync/mutex.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::runner {

class Recorder final : public EngineObserver {
 public:
  // `devices`: how many the Program uses, whose streams are watched as well.
  Recorder(const NodeNames& names, std::vector<program::CallRecord>& calls, int devices)
      : names_(names), devices_(devices), calls_(calls) {}

  int devices() const { return devices_; }

  // What a hook keeps, and its record in the call's log.
  struct KeptGradient {
    size_t record = 0;
    int32_t statement = -1;
    Tensor gradient;
  };

  // A call of the engine that this thread makes during the object's life; `record` has its
  // statement and flags. `before_graph` runs when the graph is known, before it is recorded.
  // `names`: of the thread section that makes the call; null: those of the outer call, else the
  // recorder's.
  class [[nodiscard]] Call {
   public:
    Call(Recorder& recorder, program::CallRecord record,
         std::function<void()> before_graph = nullptr, const NodeNames* names = nullptr);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    // Once it has ended: what its hooks have kept, and what else is to be told of it.
    std::vector<KeptGradient> Kept() const AG_EXCLUDES(recorder_.mutex_);
    void NoteEnd(std::vector<program::SharingRecord> sharing,
                 std::vector<program::WriteRecord> writes, int64_t held_blocks)
        AG_EXCLUDES(recorder_.mutex_);

   private:
    friend class Recorder;
    Recorder& recorder_;
    int32_t index_ = -1;  // in calls_
    uint64_t task_ = 0;   // 0 before the graph is known
    const NodeNames* names_;
    std::function<void()> before_graph_;
    Call* const outer_;  // of this thread
    const int exceptions_;
    std::optional<ThreadSnapshot> before_;
  };

  // A hook that `statement` registered on `node` fires, on the thread that evaluates the node.
  // `keeps`: it keeps the gradient until the call has ended.
  void NoteHook(const Node& node, int32_t statement, const Tensor& gradient, bool keeps = false)
      AG_EXCLUDES(mutex_);
  // The name of a node of the call at hand, and the statement of the call that this thread makes.
  program::NodeName NameOf(const Node& node) const AG_EXCLUDES(mutex_);
  int32_t StatementOfCall() const AG_EXCLUDES(mutex_);
  // A final callback that a hook of `statement` queued runs.
  void NoteCallback(int32_t statement) AG_EXCLUDES(mutex_);

  // Puts the calls from this one on, which have ended, into the order of the Program's statements.
  void SortCalls(size_t first) AG_EXCLUDES(mutex_);

  void OnGraphReady(GraphView graph) override AG_EXCLUDES(mutex_);
  void OnEvaluate(const Evaluation& evaluation, bool applied) override AG_EXCLUDES(mutex_);
  void OnEvaluated(const Evaluation& evaluation) override AG_EXCLUDES(mutex_);

 private:
  struct Task {
    uint64_t number = 0;
    int32_t call = -1;  // index in calls_
    const NodeNames* names = nullptr;
    std::vector<const Node*> nodes;  // as the call's record lists them
    std::vector<int32_t> places;     // of GraphView
    std::vector<KeptGradient> kept;
    DeviceInterface* device = nullptr;  // null: its streams are not watched
    uint64_t order_changes = 0;         // of the device, when the call last noted what streams know

    // Of few nodes, those with hooks; -1: not of the task.
    int32_t IndexOf(const Node& node) const;
  };

  const Task* Find(uint64_t task) const AG_REQUIRES(mutex_);
  Task* Find(uint64_t task) AG_REQUIRES(mutex_);
  // Which thread this is in the task.
  static int16_t ThreadHere(const Task& task);

  // Of a call with devices: the streams of its nodes.
  static std::vector<program::NodeStream> StreamsOf(const Task& task);
  // A moment of it, on the thread whose moment it is.
  void NoteStreams(Task& task, program::StreamStep::Kind kind, int32_t node) AG_REQUIRES(mutex_);

  const NodeNames& names_;
  const int devices_;
  uint32_t stream_steps_ AG_GUARDED_BY(mutex_) = 0;
  mutable sync::Mutex mutex_{"recorder"};
  std::vector<program::CallRecord>& calls_ AG_GUARDED_BY(mutex_);
  absl::InlinedVector<Task, 1> tasks_ AG_GUARDED_BY(mutex_);  // of the calls at hand
};

}  // namespace twingrad::runner
