#include "autograd/runner/hook_actor.h"

#include <optional>

#include "autograd/engine/front_end.h"
#include "autograd/graph/thread_state.h"
#include "autograd/graph/variable.h"
#include "autograd/ops/copy.h"
#include "autograd/ops/recording.h"
#include "autograd/program/limits.h"
#include "autograd/sync/thread_local.h"
#include "autograd/sync/user_code.h"

namespace twingrad::runner {

using program::Key;
using program::Statement;

namespace {

// The calls that hooks are making on this thread, innermost first.
struct NestedCall {
  int32_t statement;
  int depth;
  const NestedCall* outer;
};
AG_THREAD_LOCAL(const NestedCall*, InnermostNested, nullptr);

class [[nodiscard]] NestedScope {
 public:
  explicit NestedScope(int32_t statement)
      : call_{statement, InnermostNested() == nullptr ? 1 : InnermostNested()->depth + 1,
              InnermostNested()} {
    InnermostNested() = &call_;
  }
  ~NestedScope() { InnermostNested() = call_.outer; }
  NestedScope(const NestedScope&) = delete;
  NestedScope& operator=(const NestedScope&) = delete;

 private:
  const NestedCall call_;
};

bool MayNest(int32_t statement) {
  const NestedCall* call = InnermostNested();
  if (call != nullptr && call->depth >= program::kMaxNestedCalls) return false;
  for (; call != nullptr; call = call->outer) {
    if (call->statement == statement) return false;
  }
  return true;
}

}  // namespace

HookHandle AddRecordingHook(Recorder& recorder, const Tensor& value, int32_t statement) {
  const Node* node = RequiresGrad(value) ? GradientEdge(value).function.get() : nullptr;
  return RegisterHook(
      value, [&recorder, node, statement, object = sync::UserObject()](const Tensor& gradient) {
        sync::UserCode("a hook that a hook registered");
        recorder.NoteHook(*node, statement, gradient);
        return gradient;
      });
}

void HookActor::Note(std::string id, const HookHandle& handle) {
  sync::MutexLock lock(mutex_);
  handles_.emplace_back(std::move(id), handle);
}

void HookActor::RemoveHook(const std::string& id) {
  HookHandle found;
  {
    sync::MutexLock lock(mutex_);
    for (const auto& [name, handle] : handles_) {
      if (name == id) found = handle;
    }
  }
  Remove(found);
}

void HookActor::RunBackward(const Tensor& target, int32_t at) {
  if (!MayNest(at)) return;
  const NestedScope nested(at);
  const bool create_graph = GradMode::IsEnabled();
  program::CallRecord record;
  record.statement = at;
  record.keep_graph = true;
  record.create_graph = create_graph;
  record.accumulate_grad = true;
  const Recorder::Call call(recorder_, std::move(record));
  ops::CheckDefined("target", target);
  const Tensor seed = Tensor::Full(target.sizes(), 1, target.dtype(), target.device());
  Backward({target}, {seed}, {/*retain_graph=*/true, create_graph, std::nullopt, &engine_});
}

void HookActor::Act(const Node& node, const Statement& statement, int32_t at) {
  const auto action = statement.Get<std::string>(Key::kDo);
  if (action == "warn") return warnings_.Raise(node, at);
  if (action == "callback") {
    return Engine::QueueCallback([this, at, object = sync::UserObject()] {
      sync::UserCode("a callback");
      recorder_.NoteCallback(at);
    });
  }
  if (action == "zero_grad") return SetGrad(values_[statement.operands[0]], Tensor());
  const auto* target = statement.Find(Key::kTarget);
  if (target == nullptr) return;
  if (const auto* handle = std::get_if<std::string>(target)) return RemoveHook(*handle);
  const Tensor& value = values_[std::get<std::vector<program::ValueId>>(*target)[0]];
  if (action == "backward") return RunBackward(value, at);
  ops::CheckDefined("target", value);
  AddRecordingHook(recorder_, value, at);
}

}  // namespace twingrad::runner
