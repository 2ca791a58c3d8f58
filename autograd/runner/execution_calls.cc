// The calls of the engine. See execution.h.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "autograd/engine/front_end.h"
#include "autograd/graph/thread_state.h"
#include "autograd/graph/variable.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/sparse.h"
#include "autograd/runner/execution.h"
#include "autograd/runner/grads.h"
#include "autograd/runner/shared_memory.h"
#include "autograd/sync/watch.h"
#include "autograd/tensor/pool.h"

namespace twingrad::runner {

using program::Key;
using program::kNoValue;
using program::Opcode;
using program::Statement;
using program::ValueId;

VariableList Execution::ValuesOf(const Statement& statement, Key key) const {
  VariableList tensors;
  const auto* given = statement.Find(key);
  if (given == nullptr) return tensors;
  const char* name = key == Key::kSeeds ? "seeds" : "inputs";
  for (ValueId id : std::get<std::vector<ValueId>>(*given)) {
    if (id != kNoValue) ops::CheckDefined(name, values_[id]);
    tensors.push_back(id == kNoValue ? Tensor() : values_[id]);
  }
  return tensors;
}

// Roots, seeds and inputs that are views may have got a new node.
void Execution::NoteCallOperands(const Statement& statement) {
  for (ValueId id : statement.operands) NoteOperand(id);
  for (const Key key : {Key::kSeeds, Key::kInputs}) {
    const auto* given = statement.Find(key);
    if (given == nullptr) continue;
    for (ValueId id : std::get<std::vector<ValueId>>(*given)) {
      if (id != kNoValue) NoteOperand(id);
    }
  }
}

void Execution::StopBesideThis() {
  if (!options_.stop.has_value() || options_.stop->call != statement_) return;
  shared_.stopper = sync::Thread(
      "stopper", [engine = &engine_, limit = options_.stop->limit] { engine->Stop(limit); });
}

namespace {

// What a Program reads of a gradient that is sparse, with a graph where the gradient has one.
Tensor DenseForm(const Tensor& gradient, bool create_graph) {
  const GradModeGuard mode(create_graph);
  return ops::ToDense(gradient);
}

}  // namespace

// A part of Call: what is thrown has one frame less to pass.
[[gnu::always_inline]] inline void Execution::Differentiate(const Statement& statement) {
  const bool is_grad = statement.op == Opcode::kGrad;
  const bool create_graph = statement.Get<bool>(Key::kCreateGraph);
  absl::InlinedVector<Tensor, 2> roots;
  for (ValueId id : statement.operands) {
    ops::CheckDefined("roots", values_[id]);
    roots.push_back(values_[id]);
  }
  const VariableList seeds = ValuesOf(statement, Key::kSeeds);
  const VariableList inputs = ValuesOf(statement, Key::kInputs);
  std::optional<bool> retain_graph;
  if (const auto* flag = statement.Find(Key::kRetainGraph)) retain_graph = std::get<bool>(*flag);
  if (!is_grad) {
    BackwardOptions options{retain_graph, create_graph, std::nullopt, &engine_};
    if (statement.Find(Key::kInputs) != nullptr) {
      options.inputs.emplace(inputs.begin(), inputs.end());
    }
    Backward(roots, seeds, options);
  } else {
    const bool materialize = statement.Get<bool>(Key::kMaterialize);
    std::optional<bool> allow_unused;
    if (!materialize) allow_unused = statement.Get<bool>(Key::kAllowUnused);
    const GradOptions options{retain_graph, create_graph, allow_unused, materialize, &engine_};
    VariableList gradients = twingrad::Grad(roots, inputs, seeds, options);
    for (size_t i = 0; i < gradients.size(); ++i) {
      Tensor& made = gradients[i];
      if (made.defined() && made.is_sparse()) made = DenseForm(made, create_graph);
      // Zeros that materialize= made under create_graph are a leaf of the call.
      if (made.defined() && RequiresGrad(made) && IsLeaf(made)) names_.NoteLeaf(made);
      Define(statement, i, std::move(gradients[i]));
    }
  }
  NoteCallOperands(statement);
}

void Execution::Call(const Statement& statement) {
  StopBesideThis();
  const bool create_graph = statement.Get<bool>(Key::kCreateGraph);
  program::CallRecord record;
  record.statement = statement_;
  record.keep_graph = statement.Get<bool>(Key::kRetainGraph, create_graph);
  record.create_graph = create_graph;
  record.accumulate_grad = statement.op != Opcode::kGrad;
  Recorder::Call call(
      recorder_, std::move(record), [this, &statement] { NoteCallOperands(statement); }, &names_);
  if (outer_ == nullptr && options_.record_calls) contents_.Take(values_);
  // Not caught on its way: each catch that throws on costs as much as the first throw.
  absl::Cleanup if_it_fails = [&] { NoteFailureOf(call); };
  Differentiate(statement);
  std::move(if_it_fails).Cancel();
  NoteEndOf(call, statement.results, 0);
}

// Other sections' calls may be running beside those of a section.
void Execution::NoteEndOf(Recorder::Call& call, absl::Span<const ValueId> results,
                          int64_t held_blocks) {
  if (outer_ != nullptr || !options_.record_calls) return;
  const sync::WatchScope watching;
  const Grads grads = GradsOf(values_);
  call.NoteEnd(SharedMemory(values_, grads, results, call.Kept()),
               contents_.Changed(values_, grads), held_blocks);
}

// The call's own error is what shows, whatever goes wrong here.
void Execution::NoteFailureOf(Recorder::Call& call) {
  try {
    NoteEndOf(call, {}, HeldAfterFailure());
  } catch (...) {
  }
}

// What a call of a graph of its own frees beyond what it has taken.
int64_t Execution::HeldAfterFailure() {
  if (outer_ != nullptr || !options_.record_calls) return 0;
  const sync::WatchScope watching;
  const ModesScope modes{Modes()};
  const OrderScope keys(0);
  engine_.SetObserver(nullptr);
  const int64_t before = pool::UseOfThread().blocks;
  {
    Tensor leaf = Tensor::Scalar(1);
    SetRequiresGrad(leaf, true);
    Backward({leaf}, {}, {.engine = &engine_});
  }
  const int64_t freed = before - pool::UseOfThread().blocks;
  engine_.SetObserver(&recorder_);
  return std::max<int64_t>(freed, 0);
}

}  // namespace twingrad::runner
