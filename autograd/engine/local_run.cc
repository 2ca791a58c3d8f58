// The loop of a run on one thread. See local_run.h.

#include "autograd/engine/local_run.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/base/span.h"
#include "autograd/engine/accumulate.h"
#include "autograd/engine/anomaly_check.h"
#include "autograd/engine/evaluate.h"
#include "autograd/engine/gradient_streams.h"
#include "autograd/graph/saved_readers.h"

namespace twingrad {
namespace {

// What a hand-over costs, roughly: helpers wake up, and each node takes several locks.
constexpr sync::Duration kHandOver = std::chrono::microseconds(4);
// The clock is read after nodes of so many elements, which cost much more than reading it, and
// after each sixteenth node.
constexpr int64_t kManyElements = 4096;
constexpr uint32_t kEvaluationsBetweenReadings = 16;

// What a node is expected to take of which only that is known: more than a map or a sum does, less
// than a product of matrices.
sync::Duration ExpectedOf(int64_t elements) { return std::chrono::nanoseconds(elements); }

// What a plain node takes is always inlined into the loop, whose values then stay in registers;
// what is rare is never, here and in the headers.

[[gnu::always_inline]] inline VariableList TakeGradients(GraphTask& task, NodeState& state) {
  VariableList gradients;
  const uint32_t count = state.node->num_inputs();
  if (count > 0) gradients.push_back(std::move(state.first_gradient));
  for (uint32_t i = 1; i < count; ++i) {
    gradients.push_back(std::move(task.GradientOf(state, i)));
  }
  return gradients;
}

uint32_t CountExecuted(const GraphTask& task) {
  if (!task.has_filter()) return static_cast<uint32_t>(task.states().size());
  uint32_t count = 0;
  for (const NodeState& state : task.states()) {
    if (state.Executes()) ++count;
  }
  return count;
}

}  // namespace

bool SharingRule::IsMet(size_t ready, int64_t elements) const {
  return ready >= 2 && (pays_ || ExpectedOf(elements) >= std::max(after_, kHandOver));
}

void SharingRule::Note(uint32_t evaluated, int64_t elements) {
  if (after_ == sync::Duration::zero()) return;
  if (elements >= kManyElements || evaluated % kEvaluationsBetweenReadings == 0) Measure(evaluated);
}

void SharingRule::Measure(uint32_t evaluated) {
  const sync::TimePoint now = sync::Now();
  pays_ =
      now - start_ >= after_ && now - window_start_ >= (evaluated - window_evaluated_) * kHandOver;
  window_start_ = now;
  window_evaluated_ = evaluated;
}

LocalRun::LocalRun(GraphTask& task)
    : task_(task),
      states_(task.states().data()),
      num_states_(task.states().size()),
      ready_(task.ready()) {
  NodeState& root = states_[0];
  if (root.node->num_inputs() > 0) task.GradientOf(root, task.root_input()) = task.TakeRootSeed();
  if (root.Executes()) ready_.Push(root.node->sequence_nr(), 0);
}

std::vector<uint32_t> LocalRun::TakeReady() {
  std::vector<uint32_t> indices;
  while (!ready_.IsEmpty()) indices.push_back(ready_.Pop());
  return indices;
}

void LocalRun::AddOnStreams(uint32_t target, uint32_t input_nr, Tensor&& gradient,
                            GradientStreams::Arrival&& arrival) {
  NodeState& state = states_[target];
  Tensor& sum = task_.GradientOf(state, input_nr);
  const GradientStreams::SumScope scope(*task_.streams(), target, *state.node, input_nr, sum,
                                        gradient, std::move(arrival));
  AddGradient(sum, std::move(gradient), scope.reuse());
}

[[gnu::always_inline]] inline uint32_t LocalRun::TargetOf(const Node& from,
                                                          const Edge& edge) const {
  const Node* node = edge.function.get();
  const uint32_t index = GraphTask::HintOf(*node);
  if (index < num_states_ && states_[index].node == node) [[likely]]
    return index;
  return task_.TargetElsewhere(from, edge);
}

// Hands the results of a node, empty if it was not applied, to the nodes its edges lead to.
template <bool kHasStreams>
[[gnu::always_inline]] inline void LocalRun::Deliver(
    const Node& node, VariableList& results, [[maybe_unused]] GradientStreams::Arrival* arrivals) {
  const Span<const Edge> edges = node.next_edges();
  for (size_t i = 0; i < edges.size(); ++i) {
    if (!edges[i].is_valid()) continue;
    const uint32_t target = TargetOf(node, edges[i]);
    NodeState& state = states_[target];
    const bool executes = state.Executes();
    if (kHasStreams && executes) {
      AddOnStreams(target, edges[i].input_nr, std::move(results[i]), std::move(arrivals[i]));
    } else if (executes) {
      AddGradient(task_.GradientOf(state, edges[i].input_nr), std::move(results[i]));
    }
    // One comparison for the last contribution and for one too many.
    if (--state.pending + 1 <= 1) {
      if (state.pending != 0) [[unlikely]]
        GraphTask::ThrowChangedEdges(*state.node);
      if (executes) ready_.Push(state.node->sequence_nr(), target);
    }
  }
}

void LocalRun::RunSeen(uint32_t index, VariableList& gradients) {
  VariableList results;
  if (!EvaluateNode(task_, index, gradients, results)) return;
  const Node& node = *states_[index].node;
  if (task_.streams() == nullptr) {
    Deliver</*kHasStreams=*/false>(node, results, nullptr);
  } else {
    auto arrivals = GradientStreams::ArrivalsOf(task_, node, results);
    Deliver</*kHasStreams=*/true>(node, results, arrivals.data());
  }
}

template <bool kHasRule>
bool LocalRun::Loop(SharingRule* rule, uint32_t& index) {
  EvaluationScope scope(task_);
  const SavedReaders::Scope reading(task_.arguments().keep_graph && !task_.modes().grad_mode);
  while (!ready_.IsEmpty()) {
    [[maybe_unused]] int64_t elements = 0;
    if constexpr (kHasRule) {
      const Tensor& gradient = states_[ready_.First()].first_gradient;
      if (gradient.defined()) elements = gradient.numel();
      if (rule->IsMet(ready_.Size(), elements)) return true;
    }
    index = ready_.Pop();
    NodeState& state = states_[index];
    VariableList gradients = TakeGradients(task_, state);
    ++evaluated_;
    if (IsPlain(task_, state)) [[likely]] {
      VariableList results = EvaluatePlain(task_, *state.node, gradients);
      Deliver</*kHasStreams=*/false>(*state.node, results, nullptr);
    } else {
      RunSeen(index, gradients);
    }
    if constexpr (kHasRule) rule->Note(evaluated_, elements);
  }
  return false;
}

// What nobody adds to is not caught: to throw an exception on costs as much as to throw it.
template <bool kHasRule>
bool LocalRun::LoopExplained(SharingRule* rule) {
  uint32_t index = 0;
  if (!task_.modes().anomaly) [[likely]]
    return Loop<kHasRule>(rule, index);
  try {
    return Loop<kHasRule>(rule, index);
  } catch (...) {
    std::rethrow_exception(Explained(std::current_exception(), task_, *states_[index].node));
  }
}

void LocalRun::GoOn() {
  LoopExplained</*kHasRule=*/false>(nullptr);
  const uint32_t expected = CountExecuted(task_);
  if (evaluated_ != expected && states_[0].Executes()) {
    throw Error(ErrorKind::kInternal,
                absl::StrCat("[engine] ", expected - evaluated_, " of ", expected,
                             " nodes never received all their gradients; every needed node must "
                             "run once; report this"));
  }
}

bool LocalRun::GoOnUntil(SharingRule rule) { return LoopExplained</*kHasRule=*/true>(&rule); }

}  // namespace twingrad
