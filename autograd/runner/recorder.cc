#include "autograd/runner/recorder.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "autograd/engine/current_task.h"
#include "autograd/runner/tensor_data.h"
#include "autograd/sync/thread_local.h"
#include "autograd/sync/watch.h"

namespace twingrad::runner {

using program::CallRecord;

namespace {

AG_THREAD_LOCAL(Recorder::Call*, InnermostCall, nullptr);

}  // namespace

Recorder::Call::Call(Recorder& recorder, CallRecord record, std::function<void()> before_graph,
                     const NodeNames* names)
    : recorder_(recorder),
      names_(names),
      before_graph_(std::move(before_graph)),
      outer_(InnermostCall()) {
  {
    const sync::WatchScope watching;
    sync::MutexLock lock(recorder.mutex_);
    const Task* outer = recorder.Find(CurrentTask::Id().value_or(0));
    record.outer = outer == nullptr ? -1 : outer->call;
    if (names_ == nullptr) names_ = outer == nullptr ? &recorder.names_ : outer->names;
    index_ = static_cast<int32_t>(recorder.calls_.size());
    recorder.calls_.push_back(std::move(record));
  }
  InnermostCall() = this;
}

Recorder::Call::~Call() {
  InnermostCall() = outer_;
  const sync::WatchScope watching;
  sync::MutexLock lock(recorder_.mutex_);
  recorder_.tasks_.erase(task_);
}

void Recorder::SortCalls(size_t first) {
  sync::MutexLock lock(mutex_);
  std::vector<CallRecord> calls = std::move(calls_);
  std::vector<size_t> order(calls.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // Nested calls began after the one that they stand in.
  std::stable_sort(
      order.begin() + static_cast<ptrdiff_t>(first), order.end(), [&calls](size_t a, size_t b) {
        return program::OutermostStatement(calls, a) < program::OutermostStatement(calls, b);
      });
  std::vector<int32_t> place(order.size());
  for (size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<int32_t>(i);
  std::vector<CallRecord> sorted;
  sorted.reserve(order.size());
  for (const size_t call : order) {
    CallRecord& record = sorted.emplace_back(std::move(calls[call]));
    if (record.outer >= 0) record.outer = place[record.outer];
  }
  calls_ = std::move(sorted);
}

const Recorder::Task* Recorder::Find(uint64_t task) const {
  const auto it = tasks_.find(task);
  return it == tasks_.end() ? nullptr : &it->second;
}

void Recorder::OnGraphReady(const GraphView& graph) {
  const sync::WatchScope watching;
  Call* const made = InnermostCall();
  // Else a call that nobody announced.
  if (made == nullptr || &made->recorder_ != this || made->task_ != 0) return;
  made->task_ = graph.task;
  if (made->before_graph_ != nullptr) made->before_graph_();
  sync::MutexLock lock(mutex_);
  Task& task = tasks_[graph.task];
  task.call = made->index_;
  task.names = made->names_;
  CallRecord& call = calls_[task.call];
  const size_t count = graph.nodes.size();
  task.index.reserve(count);
  for (size_t i = 0; i < count; ++i) task.index.emplace(graph.nodes[i], static_cast<int32_t>(i));
  call.nodes.reserve(count);
  for (const Node* node : graph.nodes) {
    program::NodeRecord& record = call.nodes.emplace_back();
    record.name = task.names->NameOf(*node);
    record.num_inputs = static_cast<int32_t>(node->num_inputs());
    record.next_edges.reserve(node->num_outputs());
    for (const Edge& edge : node->next_edges()) record.next_edges.push_back(task.RecordOf(edge));
  }
  for (const Edge& edge : graph.roots) call.roots.push_back(task.RecordOf(edge));
  for (const Edge& edge : graph.outputs) call.inputs.push_back(task.RecordOf(edge));
  call.dependencies = graph.dependencies;
  call.needed = graph.needed;
  call.executed.reserve(count);
}

void Recorder::OnEvaluate(uint64_t number, const Node& node, bool applied) {
  const sync::WatchScope watching;
  if (!applied) return;
  sync::MutexLock lock(mutex_);
  const Task* task = Find(number);
  if (task != nullptr) calls_[task->call].executed.push_back(task->IndexOf(&node));
}

void Recorder::NoteHook(const Node& node, int32_t statement, const Tensor& gradient) {
  const sync::WatchScope watching;
  program::HookRecord record;
  record.statement = statement;
  record.gradient_defined = gradient.defined();
  if (gradient.defined()) record.gradient = DataOf(gradient);
  sync::MutexLock lock(mutex_);
  const Task* task = Find(CurrentTask::Id().value_or(0));
  if (task == nullptr) return;
  record.node = task->IndexOf(&node);
  calls_[task->call].hooks.push_back(std::move(record));
}

program::NodeName Recorder::NameOf(const Node& node) const {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  const Task* task = Find(CurrentTask::Id().value_or(0));
  const int32_t index = task == nullptr ? -1 : task->IndexOf(&node);
  return index < 0 ? program::WarningRecord().node : calls_[task->call].nodes[index].name;
}

int32_t Recorder::StatementOfCall() const {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  return InnermostCall() == nullptr ? -1 : calls_[InnermostCall()->index_].statement;
}

void Recorder::NoteCallback(int32_t statement) {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  const Task* task = Find(CurrentTask::Id().value_or(0));
  if (task != nullptr) calls_[task->call].hooks.push_back({-1, statement, false, {}});
}

}  // namespace twingrad::runner
