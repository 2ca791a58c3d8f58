// Evaluating a node. See evaluate.h.

#include "autograd/engine/evaluate.h"

#include <optional>
#include <utility>

#include "autograd/engine/anomaly_check.h"
#include "autograd/engine/gradient_streams.h"
#include "autograd/graph/hooks.h"
#include "autograd/sync/thread_local.h"

namespace twingrad {
namespace {

AG_THREAD_LOCAL(EngineThread, ThisThread);

// Tells the observer, if there is one, that the evaluation has ended, however it did.
class ObservedEnd {
 public:
  ObservedEnd(EngineObserver* observer, const Evaluation& evaluation)
      : observer_(observer), evaluation_(evaluation) {}
  ~ObservedEnd() {
    if (observer_ != nullptr) [[unlikely]]
      observer_->OnEvaluated(evaluation_);
  }
  ObservedEnd(const ObservedEnd&) = delete;
  ObservedEnd& operator=(const ObservedEnd&) = delete;

 private:
  EngineObserver* const observer_;
  const Evaluation evaluation_;
};

// What precedes the node where it has hooks or captures. False: the node is not to be applied.
bool BeforeApply(GraphTask& task, uint32_t index, VariableList& gradients) {
  const NodeState& state = task.states()[index];
  const Node& node = *state.node;
  const NodeExtras* extras = node.extras();
  const bool applies = (state.flags & NodeState::kApply) != 0;
  if (task.observer() != nullptr)
    task.observer()->OnEvaluate({task.number(), index, node}, applies);
  if (extras != nullptr) extras->RunTensorHooks(node, gradients);
  if (!applies && extras != nullptr) extras->StoreRetained(gradients);
  if ((state.flags & NodeState::kCapture) != 0) task.Capture(index, gradients, !applies);
  if (!applies) return false;
  if (extras != nullptr) {
    extras->RunPreHooks(node, gradients);
    extras->StoreRetained(gradients);
  }
  return true;
}

// Post-hooks that are registered while the node runs wait for the next call.
void ApplyWithPostHooks(Node& node, VariableList& gradients, VariableList& results) {
  const NodeExtras* const extras = node.extras();
  HookList<NodePostHook>::Snapshot hooks;
  if (extras != nullptr) hooks = extras->post_hooks.Current();
  if (hooks == nullptr) {
    results = Apply(node, gradients);
    return;
  }
  const VariableList kept = gradients;
  results = Apply(node, gradients);
  NodeExtras::RunPostHooks(node, hooks, results, kept);
}

}  // namespace

EngineThread& CurrentEngineThread() { return ThisThread(); }

EvaluationScope::EvaluationScope(GraphTask& task)
    : engine_before_(ThisThread()),
      modes_(task.modes()),
      filter_before_(CurrentThread().filter),
      node_before_(CurrentThread().node) {
  ThisThread().task = &task;
  ++ThisThread().depth;
  if (task.has_filter()) ThisThread().executes_all = false;
  CurrentThread().filter = task.has_filter() ? &task : nullptr;
}

EvaluationScope::~EvaluationScope() {
  ThisThread() = engine_before_;
  CurrentThread().filter = filter_before_;
  CurrentThread().node = node_before_;
  CurrentThread().releasing = nullptr;
}

bool EvaluateNode(GraphTask& task, uint32_t index, VariableList& gradients, VariableList& results) {
  const NodeState& state = task.states()[index];
  Node& node = *state.node;
  if (IsPlain(task, state)) [[likely]] {
    results = EvaluatePlain(task, node, gradients);
    return true;
  }
  std::optional<GradientStreams::NodeScope> on_stream;
  if (task.streams() != nullptr) on_stream.emplace(*task.streams(), index, node, gradients);
  CurrentThread().node = &node;
  CurrentThread().releasing = nullptr;  // hooks may look at what it saved
  const ObservedEnd end(task.observer(), {task.number(), index, node});
  if (!BeforeApply(task, index, gradients)) return false;
  const NodeExtras* const extras = node.extras();
  if (extras != nullptr && extras->wants_release_notice && !task.arguments().keep_graph) {
    node.WillReleaseVariables();
  }
  ApplyWithPostHooks(node, gradients, results);
  if (!task.arguments().keep_graph) node.ReleaseVariables();
  if (task.ChecksNan()) [[unlikely]]
    CheckForNan(node, results);
  return true;
}

}  // namespace twingrad
