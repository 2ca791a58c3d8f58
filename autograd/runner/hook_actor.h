// HookActor: what the hooks of a Program do besides changing gradients: do=register, remove,
// backward, callback, warn and zero_grad.
//
//   HookActor actor(engine, recorder, warnings, values);
//   actor.Act(node, statement, at);     // in a hook that statement `at` registered
//
// Acts on any thread, several at once; handles are noted by the thread that runs the Program and by
// those of its thread sections. The values outlive the hooks.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "autograd/engine/engine.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/node.h"
#include "autograd/program/program.h"
#include "autograd/runner/recorder.h"
#include "autograd/runner/warnings.h"
#include "autograd/sync/annotations.h"
#include "autograd/sync/mutex.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::runner {

// A tensor hook that notes each gradient in the log of its call.
HookHandle AddRecordingHook(Recorder& recorder, const Tensor& value, int32_t statement);

class HookActor {
 public:
  HookActor(Engine& engine, Recorder& recorder, ProgramWarnings& warnings,
            const std::vector<Tensor>& values)
      : engine_(engine), recorder_(recorder), warnings_(warnings), values_(values) {}

  // The hook of this id= can be removed by it.
  void Note(std::string id, const HookHandle& handle) AG_EXCLUDES(mutex_);
  void RemoveHook(const std::string& id) AG_EXCLUDES(mutex_);

  // What the hook or custom function of `statement`, which stands at `at`, does when it fires at
  // `node`; nothing for other do=.
  void Act(const Node& node, const program::Statement& statement, int32_t at);
  // Runs backward from the value with a seed of ones, keeping the graph, in the grad mode of the
  // call at hand; nothing where the statement at `at` is doing so already, or too deep.
  void RunBackward(const Tensor& target, int32_t at);

 private:
  Engine& engine_;
  Recorder& recorder_;
  ProgramWarnings& warnings_;
  const std::vector<Tensor>& values_;  // by ValueId
  sync::Mutex mutex_{"hook_actor"};
  std::vector<std::pair<std::string, HookHandle>> handles_ AG_GUARDED_BY(mutex_);
};

}  // namespace twingrad::runner
