// What a hook on several tensors keeps for each call, in the call's task. See multi_hook.h.

#include "autograd/engine/multi_hook.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/engine/evaluate.h"
#include "autograd/engine/graph_task.h"
#include "autograd/graph/variable.h"
#include "autograd/sync/annotations.h"
#include "autograd/sync/cell.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/shared.h"

namespace twingrad {
namespace {

void CheckTensors(Span<const Tensor> tensors, bool has_function) {
  if (tensors.empty() || !has_function) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[hook] a hook on ", tensors.size(), " tensors with ",
                             has_function ? "a function" : "no function",
                             "; it takes one or more tensors and a function; leave it out"));
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (RequiresGrad(tensors[i])) continue;
    throw Error(ErrorKind::kNoGraph,
                absl::StrCat("[hook] tensor ", i, " of ", tensors.size(),
                             " does not require grad; each must; leave it out"));
  }
}

// A hook on several tensors. Nodes are known by their address alone, so that a node's own hook does
// not keep it alive; the handle tells whether it still lives.
class MultiHook {
 public:
  struct Member {
    const Node* node;
    HookHandle handle;
  };

  void Add(const Node* node, HookHandle handle) AG_EXCLUDES(mutex_) {
    sync::MutexLock lock(mutex_);
    members_.Mutable().push_back({node, std::move(handle)});
  }

  // How many of the members the task evaluates or captures.
  size_t CountIn(const GraphTask& task) const AG_EXCLUDES(mutex_) {
    absl::flat_hash_map<const Node*, size_t> members;
    {
      sync::MutexLock lock(mutex_);
      for (const Member& member : members_.Read()) {
        const sync::SharedPtr<HookState> state = member.handle.state.lock();
        if (state != nullptr && state->body() != nullptr) ++members[member.node];
      }
    }
    size_t count = 0;
    for (const NodeState& state : task.states()) {
      if (!state.Executes()) continue;
      if (const auto it = members.find(state.node); it != members.end()) count += it->second;
    }
    return count;
  }

 private:
  mutable sync::Mutex mutex_{"multi_hook"};
  sync::Cell<std::vector<Member>> members_ AG_GUARDED_BY(mutex_);
};

// What a task keeps for one of them.
struct Progress final : TaskAttachment {
  Progress(sync::SharedPtr<MultiHook> of, size_t count, size_t tensors)
      : hook(std::move(of)), expected(count) {
    sync::MutexLock lock(mutex);
    gradients.Mutable().resize(tensors);
  }

  const sync::SharedPtr<MultiHook> hook;  // so that its address is nobody else's
  const size_t expected;
  sync::Mutex mutex{"multi_hook_progress"};
  sync::Cell<size_t> seen AG_GUARDED_BY(mutex){0};
  sync::Cell<std::vector<Tensor>> gradients AG_GUARDED_BY(mutex);
};

// The progress in the call at hand; null outside a call.
sync::SharedPtr<Progress> ProgressOf(const sync::SharedPtr<MultiHook>& hook, size_t tensors) {
  GraphTask* task = CurrentEngineThread().task;
  if (task == nullptr) return nullptr;
  const auto attachment = task->Attachment(
      hook.get(), [&] { return sync::MakeShared<Progress>(hook, hook->CountIn(*task), tensors); });
  return sync::SharedPtr<Progress>(attachment, static_cast<Progress*>(attachment.get()));
}

// Registers `make(hook, i)`, a tensor hook, on tensor i.
template <class Make>
std::vector<HookHandle> RegisterAll(Span<const Tensor> tensors, const Make& make) {
  auto hook = sync::MakeShared<MultiHook>();
  std::vector<HookHandle> handles;
  for (size_t i = 0; i < tensors.size(); ++i) {
    handles.push_back(RegisterHook(tensors[i], TensorHook(make(hook, i))));
    hook->Add(GradientEdge(tensors[i]).function.get(), handles.back());
  }
  return handles;
}

}  // namespace

std::vector<HookHandle> RegisterAllGradsHook(Span<const Tensor> tensors, AllGradsHook hook) {
  CheckTensors(tensors, static_cast<bool>(hook));
  const size_t count = tensors.size();
  auto function = sync::MakeShared<AllGradsHook>(std::move(hook));
  return RegisterAll(tensors, [&](const sync::SharedPtr<MultiHook>& multi, size_t i) {
    return [multi, function, count, i](const Tensor& gradient) {
      const sync::SharedPtr<Progress> progress = ProgressOf(multi, count);
      if (progress == nullptr) return gradient;
      std::vector<Tensor> complete;
      {
        sync::MutexLock lock(progress->mutex);
        progress->gradients.Mutable()[i] = gradient;
        if (++progress->seen.Mutable() != progress->expected) return gradient;
        complete = std::move(progress->gradients.Mutable());
      }
      (*function)(complete);
      return gradient;
    };
  });
}

std::vector<HookHandle> RegisterAnyGradHook(Span<const Tensor> tensors, AnyGradHook hook) {
  CheckTensors(tensors, static_cast<bool>(hook));
  auto function = sync::MakeShared<AnyGradHook>(std::move(hook));
  return RegisterAll(tensors, [&](const sync::SharedPtr<MultiHook>& multi, size_t) {
    return [multi, function](const Tensor& gradient) {
      const sync::SharedPtr<Progress> progress = ProgressOf(multi, 0);
      if (progress == nullptr) return gradient;
      {
        sync::MutexLock lock(progress->mutex);
        if (++progress->seen.Mutable() != 1) return gradient;
      }
      (*function)(gradient);
      return gradient;
    };
  });
}

void Remove(Span<const HookHandle> handles) {
  for (const HookHandle& handle : handles) Remove(handle);
}

}  // namespace twingrad
