#include "autograd/runner/recorder.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <numeric>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "autograd/base/span.h"
#include "autograd/device/device_registry.h"
#include "autograd/device/stream.h"
#include "autograd/engine/current_task.h"
#include "autograd/engine/worker.h"
#include "autograd/ops/registry.h"
#include "autograd/runner/tensor_data.h"
#include "autograd/sync/thread_local.h"
#include "autograd/sync/watch.h"

namespace twingrad::runner {

using program::CallRecord;

namespace {

AG_THREAD_LOCAL(Recorder::Call*, InnermostCall, nullptr);

// Of a larger graph, what streams know is not noted: it is a matter of few nodes.
constexpr size_t kMostNodesWatched = 1000;

void Fill(program::EdgeRecords& records, Span<const ViewEdge> edges) {
  records.resize(edges.size());
  std::transform(edges.begin(), edges.end(), records.begin(), [](const ViewEdge& edge) {
    return program::EdgeRecord{edge.node, static_cast<int32_t>(edge.input_nr)};
  });
}

// Of a few tasks; null: none has it.
template <typename Tasks>
auto WithNumber(uint64_t number, Tasks& tasks) -> decltype(tasks.data()) {
  const auto it = std::find_if(tasks.begin(), tasks.end(),
                               [number](const auto& task) { return task.number == number; });
  return it == tasks.end() ? nullptr : &*it;
}

}  // namespace

Recorder::Call::Call(Recorder& recorder, CallRecord record, std::function<void()> before_graph,
                     const NodeNames* names)
    : recorder_(recorder),
      names_(names),
      before_graph_(std::move(before_graph)),
      outer_(InnermostCall()),
      exceptions_(std::uncaught_exceptions()) {
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
  before_.emplace();
}

Recorder::Call::~Call() {
  const uint32_t changes = before_->Changes();
  const uint64_t order_keys = before_->OrderKeysUsed();
  InnermostCall() = outer_;
  std::vector<KeptGradient> kept;  // destroyed with no lock held: graphs may end with it
  const sync::WatchScope watching;
  sync::MutexLock lock(recorder_.mutex_);
  CallRecord& record = recorder_.calls_[index_];
  record.failed = std::uncaught_exceptions() > exceptions_;
  record.left_changed = changes;
  record.order_keys = order_keys;
  if (Task* task = recorder_.Find(task_); task != nullptr) {
    kept = std::move(task->kept);
    std::swap(*task, recorder_.tasks_.back());
    recorder_.tasks_.pop_back();
  }
  for (const KeptGradient& keeping : kept) {
    program::HookRecord& hook = record.hooks[keeping.record];
    try {
      hook.overwritten = DataOf(keeping.gradient) != hook.gradient;
    } catch (const Error&) {  // its device gives nothing back, which another look will tell
    }
  }
}

std::vector<Recorder::KeptGradient> Recorder::Call::Kept() const {
  const sync::WatchScope watching;
  sync::MutexLock lock(recorder_.mutex_);
  const Task* task = recorder_.Find(task_);
  return task == nullptr ? std::vector<KeptGradient>() : task->kept;
}

void Recorder::Call::NoteEnd(std::vector<program::SharingRecord> sharing,
                             std::vector<program::WriteRecord> writes, int64_t held_blocks) {
  const sync::WatchScope watching;
  sync::MutexLock lock(recorder_.mutex_);
  CallRecord& record = recorder_.calls_[index_];
  record.sharing = std::move(sharing);
  record.writes = std::move(writes);
  record.held_blocks = held_blocks;
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

int32_t Recorder::Task::IndexOf(const Node& node) const {
  const auto it = std::find(nodes.begin(), nodes.end(), &node);
  return it == nodes.end() ? -1 : static_cast<int32_t>(it - nodes.begin());
}

Recorder::Task* Recorder::Find(uint64_t task) { return WithNumber(task, tasks_); }

int16_t Recorder::ThreadHere(const Task& task) {
  if (InnermostCall() != nullptr && InnermostCall()->index_ == task.call) {
    return program::kCallingThread;
  }
  const int worker = WorkerGroup::NumberOfThisThread();
  return worker < 0 ? program::kOtherThread : static_cast<int16_t>(worker);
}

const Recorder::Task* Recorder::Find(uint64_t task) const { return WithNumber(task, tasks_); }

void Recorder::OnGraphReady(GraphView graph) {
  const sync::WatchScope watching;
  Call* const made = InnermostCall();
  // Else a call that nobody announced.
  if (made == nullptr || &made->recorder_ != this || made->task_ != 0) return;
  made->task_ = graph.task;
  if (made->before_graph_ != nullptr) made->before_graph_();
  sync::MutexLock lock(mutex_);
  Task& task = tasks_.emplace_back();
  task.number = graph.task;
  task.call = made->index_;
  task.names = made->names_;
  CallRecord& call = calls_[task.call];
  const size_t count = graph.nodes.size();
  call.nodes.reserve(count);
  const ViewEdge* edges = graph.edges.data();
  for (const Node* node : graph.nodes) {
    program::NodeRecord& record = call.nodes.emplace_back();
    record.name = task.names->NameOf(*node);
    record.num_inputs = static_cast<int32_t>(node->num_inputs());
    Fill(record.next_edges, {edges, node->num_outputs()});
    edges += node->num_outputs();
  }
  Fill(call.roots, graph.roots);
  Fill(call.inputs, graph.outputs);
  call.dependencies = std::move(graph.dependencies);
  call.needed = std::move(graph.needed);
  call.executed.reserve(count);
  call.threads.reserve(count);
  task.nodes = std::move(graph.nodes);
  task.places = std::move(graph.places);
  if (devices_ == 0 || count > kMostNodesWatched) return;
  task.device = &GetDeviceInterface(ops::DeviceOf(0));
  call.node_streams = StreamsOf(task);
  call.stream_steps.reserve(2 * count + 1);
  call.stream_orders.reserve(count + 1);
  NoteStreams(task, program::StreamStep::Kind::kCall, -1);
}

std::vector<program::NodeStream> Recorder::StreamsOf(const Task& task) {
  std::vector<program::NodeStream> of_nodes(task.nodes.size());
  absl::InlinedVector<Stream, 16> streams;
  for (size_t i = 0; i < of_nodes.size(); ++i) {
    const Node& node = *task.nodes[i];
    if (node.device().IsCpu()) continue;
    of_nodes[i].device = static_cast<program::DeviceIndex>(node.device().index);
    streams.push_back(node.stream());
  }
  absl::InlinedVector<uint32_t, 16> numbers(streams.size());
  task.device->NumbersOf({streams.data(), streams.size()}, numbers.data());
  const uint32_t* number = numbers.data();
  for (program::NodeStream& stream : of_nodes) {
    if (stream.device != program::kCpu) stream.stream = *number++;
  }
  return of_nodes;
}

void Recorder::NoteStreams(Task& task, program::StreamStep::Kind kind, int32_t node) {
  if (task.device == nullptr) return;
  CallRecord& call = calls_[task.call];
  program::StreamStep& step = call.stream_steps.emplace_back();
  step.kind = kind;
  step.number = stream_steps_++;
  step.node = node;
  step.thread = WorkerGroup::NumberOfThisThread();
  absl::InlinedVector<Stream, 4> current(devices_);
  for (int index = 0; index < devices_; ++index) {
    current[index] = CurrentStream(ops::DeviceOf(static_cast<program::DeviceIndex>(index)));
  }
  step.current.resize(current.size());
  const uint64_t changes =
      task.device->NumbersOf({current.data(), current.size()}, step.current.data());
  if (call.stream_orders.empty() || changes != task.order_changes) {
    call.stream_orders.push_back(task.device->KnownOrder());
    task.order_changes = changes;
  }
  step.known = static_cast<uint32_t>(call.stream_orders.size()) - 1;
}

void Recorder::OnEvaluate(const Evaluation& evaluation, bool applied) {
  const sync::WatchScope watching;
  if (!applied && devices_ == 0) return;
  sync::MutexLock lock(mutex_);
  Task* const task = Find(evaluation.task);
  if (task == nullptr) return;
  const int32_t index = task->places[evaluation.number];
  NoteStreams(*task, program::StreamStep::Kind::kBegin, index);
  if (!applied) return;
  CallRecord& call = calls_[task->call];
  call.executed.push_back(index);
  call.threads.push_back(ThreadHere(*task));
}

void Recorder::OnEvaluated(const Evaluation& evaluation) {
  if (devices_ == 0) return;
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  Task* const task = Find(evaluation.task);
  if (task == nullptr) return;
  NoteStreams(*task, program::StreamStep::Kind::kEnd, task->places[evaluation.number]);
}

void Recorder::NoteHook(const Node& node, int32_t statement, const Tensor& gradient, bool keeps) {
  const sync::WatchScope watching;
  program::HookRecord record;
  record.statement = statement;
  record.gradient_defined = gradient.defined();
  if (gradient.defined()) record.gradient = DataOf(gradient);
  sync::MutexLock lock(mutex_);
  Task* task = Find(CurrentTask::Id().value_or(0));
  if (task == nullptr) return;
  record.node = task->IndexOf(node);
  record.thread = ThreadHere(*task);
  std::vector<program::HookRecord>& log = calls_[task->call].hooks;
  if (keeps && record.gradient_defined) task->kept.push_back({log.size(), statement, gradient});
  log.push_back(std::move(record));
}

program::NodeName Recorder::NameOf(const Node& node) const {
  const sync::WatchScope watching;
  sync::MutexLock lock(mutex_);
  const Task* task = Find(CurrentTask::Id().value_or(0));
  const int32_t index = task == nullptr ? -1 : task->IndexOf(node);
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
  if (task == nullptr) return;
  calls_[task->call].hooks.push_back({-1, statement, false, {}, ThreadHere(*task)});
}

}  // namespace twingrad::runner
