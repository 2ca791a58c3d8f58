// Recorder: fills the call records of an Observation from what the recording engine shows: each
// call's graph and counts just before it runs. One thread: the engine runs CPU nodes on the
// caller's.

#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "autograd/program/observation.h"
#include "tools/adapters/libtorch/node_names.h"
#include "tools/adapters/libtorch/version.h"

namespace torch::autograd {
struct GraphTask;
}  // namespace torch::autograd

namespace twingrad::libtorch {

// Makes libtorch use the recording engine; once for the process, before its first backward.
void InstallRecordingEngine();

class Recorder {
 public:
  Recorder(const NodeNames& names, std::vector<program::CallRecord>& calls);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // A call begins, which may yet be refused.
  void BeginCall(program::CallRecord record);
  // It goes on with the tensors of inputs=. `before_graph` runs when the graph is complete, before
  // it is recorded.
  void SetInputs(std::vector<at::Tensor> inputs, std::function<void()> before_graph);
  // The call is over: tasks that come now are recorded nowhere.
  void EndCall() { recording_ = false; }
  // A task is about to run.
  void OnTask(Node* root, const torch::autograd::GraphTask& task);
  // A node begins to run.
  // first: before the node's own hooks, which is also where a gradient is only captured.
  void NoteRun(const void* key, bool first);
  // A hook of a statement sees a gradient at a node.
  void NoteHook(int32_t statement, Node* node, const at::Tensor& gradient);

 private:
  struct Hooked {
    WeakNode node = NoNode();
  };

  void Collect(Node* top);
  program::EdgeRecord EdgeOf(Node* node, uint32_t input_nr) const;
  void Listen(Node* node, bool needed);

  const NodeNames& names_;
  std::vector<program::CallRecord>& calls_;
  std::vector<at::Tensor> inputs_;
  std::function<void()> before_graph_;
  bool recording_ = false;
  std::vector<Node*> nodes_;
  std::unordered_map<Node*, int32_t> index_;
  // Where listeners are: at nodes, at leaves where first hooks stay with the leaf.
  std::unordered_map<const void*, Hooked> hooked_;
  std::set<const void*> leaves_;
  struct Expected {
    int32_t index = -1;
    bool needed = false;
  };
  std::unordered_map<const void*, Expected> run_;  // by what NoteRun is called with
};

}  // namespace twingrad::libtorch
