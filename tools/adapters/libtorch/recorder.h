// Recorder: fills the call records of an Observation from what the recording engine shows: each
// call's graph and counts just before it runs. One thread at a time: the engine runs CPU nodes on
// the caller's.

#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "autograd/program/observation.h"
#include "tools/adapters/libtorch/node_names.h"
#include "tools/adapters/libtorch/version.h"

namespace torch::autograd {
struct GraphTask;
struct SavedVariableHooks;
}  // namespace torch::autograd

namespace twingrad::libtorch {

using SavedHooks = std::unique_ptr<torch::autograd::SavedVariableHooks>;

// Makes libtorch use the recording engine; once for the process, before its first backward.
void InstallRecordingEngine();

class Recorder {
 public:
  // A call, and what its hooks and callbacks are noted in, for as long as it lives. Those that
  // hooks make live inside.
  class [[nodiscard]] Call {
   public:
    // It begins, and may yet be refused.
    Call(Recorder& recorder, program::CallRecord record);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    // It goes on with the tensors of inputs=. `before_graph` runs when the graph is complete,
    // before it is recorded.
    void Expect(std::vector<at::Tensor> inputs, std::function<void()> before_graph);

   private:
    Recorder& recorder_;
  };

  Recorder(const NodeNames& names, std::vector<program::CallRecord>& calls);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Makes the hooks of whatever is saved from now on; none where it is empty.
  using SavedHooksMaker = std::function<SavedHooks()>;
  void SetSavedHooks(SavedHooksMaker maker) { saved_hooks_ = std::move(maker); }
  SavedHooks MakeSavedHooks() const;

  // A task is about to run.
  void OnTask(Node* root, const torch::autograd::GraphTask& task);
  // A node begins to run.
  // first: before the node's own hooks, which is also where a gradient is only captured.
  void NoteRun(const void* key, bool first);
  // A hook of a statement sees a gradient at a node.
  void NoteHook(int32_t statement, Node* node, const at::Tensor& gradient);
  // The final callback that a statement queued runs.
  void NoteCallback(int32_t statement);

 private:
  struct Hooked {
    WeakNode node = NoNode();
  };
  struct Expected {
    int32_t index = -1;
    bool needed = false;
  };
  // A call that runs.
  struct Open {
    int32_t call = -1;  // index into calls_
    std::vector<at::Tensor> inputs;
    std::function<void()> before_graph;  // until the graph is there
    std::vector<Node*> nodes;
    std::unordered_map<Node*, int32_t> index;
    std::unordered_map<const void*, Expected> run;  // by what NoteRun is called with

    void Collect(Node* top);
    program::EdgeRecord EdgeOf(Node* node, uint32_t input_nr) const;
  };

  void Listen(Open& open, Node* node, bool needed);

  const NodeNames& names_;
  std::vector<program::CallRecord>& calls_;
  std::vector<Open> open_;  // innermost last
  SavedHooksMaker saved_hooks_;
  // Where listeners are: at nodes, at leaves where first hooks stay with the leaf.
  std::unordered_map<const void*, Hooked> hooked_;
  std::set<const void*> leaves_;
};

}  // namespace twingrad::libtorch
