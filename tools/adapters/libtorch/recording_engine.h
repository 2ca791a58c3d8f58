// libtorch's engine with an ear at the door: shows each call's graph and counts before it runs.
//
// Engine::execute prepares a task and then calls the virtual execute_with_graph_task; the one here
// copies dependencies and exec_info there and goes on. Installed once for the process. One thread:
// the engine runs CPU nodes on the caller's.

#pragma once

#include <torch/csrc/autograd/engine.h>

#include <functional>
#include <unordered_map>

#include "tools/adapters/libtorch/version.h"

namespace twingrad::libtorch {

// What is known just before a task runs. Valid during the call alone.
struct TaskView {
  Node* root;
  const std::unordered_map<Node*, int>& dependencies;
  const std::unordered_map<Node*, torch::autograd::GraphTask::ExecInfo>& exec_info;
};

// Makes libtorch use the recording engine; before its first backward.
void InstallRecordingEngine();

// Called for every task from now on; null: nothing is.
void SetObserver(std::function<void(const TaskView&)> observer);

}  // namespace twingrad::libtorch
