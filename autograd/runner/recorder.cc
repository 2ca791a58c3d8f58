#include "autograd/runner/recorder.h"

#include <utility>

#include "autograd/runner/tensor_data.h"
#include "autograd/sync/watch.h"

namespace twingrad::runner {

using program::CallRecord;
using program::EdgeRecord;

void Recorder::BeginCall(CallRecord record, std::function<void()> before_graph) {
  sync::MutexLock lock(mutex_);
  calls_.push_back(std::move(record));
  before_graph_ = std::move(before_graph);
  has_graph_ = false;
  index_.clear();
}

int32_t Recorder::IndexOf(const Node* node) const {
  const auto it = index_.find(node);
  return it == index_.end() ? -1 : it->second;
}

EdgeRecord Recorder::RecordOf(const Edge& edge) const {
  return {IndexOf(edge.function.get()), static_cast<int32_t>(edge.input_nr)};
}

void Recorder::OnGraphReady(const GraphView& graph) {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  if (has_graph_) return;  // of a nested call
  has_graph_ = true;
  task_ = graph.task;
  if (before_graph_ != nullptr) before_graph_();
  CallRecord& call = calls_.back();
  const size_t count = graph.nodes.size();
  index_.reserve(count);
  for (size_t i = 0; i < count; ++i) index_.emplace(graph.nodes[i], static_cast<int32_t>(i));
  call.nodes.reserve(count);
  for (const Node* node : graph.nodes) {
    program::NodeRecord& record = call.nodes.emplace_back();
    record.name = names_.NameOf(*node);
    record.num_inputs = static_cast<int32_t>(node->num_inputs());
    record.next_edges.reserve(node->num_outputs());
    for (const Edge& edge : node->next_edges()) record.next_edges.push_back(RecordOf(edge));
  }
  for (const Edge& edge : graph.roots) call.roots.push_back(RecordOf(edge));
  for (const Edge& edge : graph.outputs) call.inputs.push_back(RecordOf(edge));
  call.dependencies = graph.dependencies;
  call.needed = graph.needed;
  call.executed.reserve(count);
}

void Recorder::OnEvaluate(uint64_t task, const Node& node, bool applied) {
  const sync::WatchScope watching;
  if (!applied) return;
  sync::MutexLock lock(mutex_);
  if (has_graph_ && task == task_) calls_.back().executed.push_back(IndexOf(&node));
}

void Recorder::NoteHook(const Node& node, int32_t statement, const Tensor& gradient) {
  const sync::WatchScope watching;
  program::HookRecord record;
  record.statement = statement;
  record.gradient_defined = gradient.defined();
  if (gradient.defined()) record.gradient = DataOf(gradient);
  sync::MutexLock lock(mutex_);
  if (calls_.empty()) return;
  record.node = IndexOf(&node);
  calls_.back().hooks.push_back(std::move(record));
}

}  // namespace twingrad::runner
