// Recorder: watches an engine during one Program and fills the call records of its Observation.
//
//   Recorder recorder(observation.calls, names);
//   engine.SetObserver(&recorder);
//   recorder.BeginCall(record);  ... Backward(...) ...
//
// Nodes appear in the order of their discovery. Evaluations and hooks may come from several
// threads; they are noted in the order in which they take the lock.

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "autograd/engine/observer.h"
#include "autograd/program/observation.h"
#include "autograd/runner/node_names.h"
#include "autograd/sync/annotations.h"
#include "autograd/sync/mutex.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::runner {

class Recorder final : public EngineObserver {
 public:
  Recorder(const NodeNames& names, std::vector<program::CallRecord>& calls)
      : names_(names), calls_(calls) {}

  // A call begins; `record` has its statement and flags. `before_graph` runs when the graph is
  // known, before it is recorded.
  void BeginCall(program::CallRecord record, std::function<void()> before_graph);
  // A hook that `statement` registered on `node` fires.
  void NoteHook(const Node& node, int32_t statement, const Tensor& gradient) AG_EXCLUDES(mutex_);

  void OnGraphReady(const GraphView& graph) override AG_EXCLUDES(mutex_);
  void OnEvaluate(uint64_t task, const Node& node, bool applied) override AG_EXCLUDES(mutex_);

 private:
  int32_t IndexOf(const Node* node) const AG_REQUIRES(mutex_);
  program::EdgeRecord RecordOf(const Edge& edge) const AG_REQUIRES(mutex_);

  const NodeNames& names_;
  sync::Mutex mutex_{"recorder"};
  std::vector<program::CallRecord>& calls_ AG_GUARDED_BY(mutex_);
  std::function<void()> before_graph_ AG_GUARDED_BY(mutex_);
  // The task of the call at hand; 0 before its graph is known.
  uint64_t task_ AG_GUARDED_BY(mutex_) = 0;
  bool has_graph_ AG_GUARDED_BY(mutex_) = false;
  absl::flat_hash_map<const Node*, int32_t> index_ AG_GUARDED_BY(mutex_);
};

}  // namespace twingrad::runner
