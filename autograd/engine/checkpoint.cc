// Recomputing what nodes saved. See checkpoint.h.
//
// A frame stands for one call of Checkpoint. The pack hook in force during the function's run keeps
// the number of each tensor and drops the tensor. The unpack hook runs the function again, with
// another pair in force whose pack hook collects the tensors by number.

#include "autograd/engine/checkpoint.h"

#include <any>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/engine/engine.h"
#include "autograd/engine/evaluate.h"
#include "autograd/graph/inference_mode.h"
#include "autograd/graph/saved_tensor_hooks.h"
#include "autograd/graph/saved_variable.h"
#include "autograd/graph/variable.h"
#include "autograd/sync/annotations.h"
#include "autograd/sync/cell.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/shared.h"

namespace twingrad {
namespace {

// Keeps the inputs, as a node would: with their versions, through hooks that are in force outside.
class CheckpointInputs final : public Node {
 public:
  explicit CheckpointInputs(const VariableList& inputs) {
    for (const Tensor& input : inputs) saved_.emplace_back(input, /*is_output=*/false);
  }
  VariableList Unpack() const {
    VariableList inputs;
    for (const SavedVariable& saved : saved_) inputs.push_back(saved.Unpack(this));
    return inputs;
  }
  VariableList Apply(VariableList&& /*gradients*/) override { return {}; }
  std::string_view name() const override { return "Checkpoint"; }

 private:
  std::vector<SavedVariable> saved_;
};

// Ends a recomputation; not for users to catch, so no std::exception.
struct StopRecomputation {
  const void* recomputation;
};

class Frame {
 public:
  Frame(CheckpointFunction function, const VariableList& inputs, CheckpointOptions options)
      : function_(std::move(function)),
        inputs_(MakeNode<CheckpointInputs>(inputs)),
        options_(options) {}

  const CheckpointFunction& function() const { return function_; }

  // The number of a tensor that the function's run saves.
  size_t Note(const Tensor& tensor) AG_EXCLUDES(mutex_) {
    sync::MutexLock lock(mutex_);
    types_.Mutable().emplace_back(tensor);
    return types_.Read().size() - 1;
  }
  void FunctionReturned() AG_EXCLUDES(mutex_) {
    sync::MutexLock lock(mutex_);
    returned_.Write(true);
  }
  Tensor Take(size_t number, const sync::SharedPtr<Frame>& self) AG_EXCLUDES(mutex_);
  // Nobody will ask for this number any more.
  void Drop(size_t number) AG_EXCLUDES(mutex_);

 private:
  using Made = std::vector<Tensor>;

  Made Recompute() AG_EXCLUDES(mutex_);
  void CheckTypes(const Made& made) AG_EXCLUDES(mutex_);
  void Forget(uint64_t task) AG_EXCLUDES(mutex_);

  const CheckpointFunction function_;
  const sync::IntrusivePtr<CheckpointInputs> inputs_;
  const CheckpointOptions options_;
  sync::Mutex mutex_{"checkpoint"};
  sync::Cell<std::vector<InputMetadata>> types_ AG_GUARDED_BY(mutex_);
  sync::Cell<bool> returned_ AG_GUARDED_BY(mutex_){false};
  // What was recomputed and not yet used, by the number of the engine's task.
  sync::Cell<absl::flat_hash_map<uint64_t, Made>> recomputed_ AG_GUARDED_BY(mutex_);
};
using FramePtr = sync::SharedPtr<Frame>;

// What a node keeps in place of a tensor.
struct Place {
  FramePtr frame;
  size_t number;

  Place(FramePtr f, size_t n) : frame(std::move(f)), number(n) {}
  ~Place() { frame->Drop(number); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
};
using PlacePtr = sync::SharedPtr<Place>;

Frame::Made Frame::Recompute() {
  size_t count = 0;
  bool returned = false;
  {
    sync::MutexLock lock(mutex_);
    count = types_.Read().size();
    returned = returned_.Read();
  }
  Made made;
  std::vector<uint32_t> versions;
  const auto collect = [&](const Tensor& tensor) {
    if (made.size() == count) {
      // The function runs a backward of its own over what it has made so far.
      if (!returned) return std::any(tensor);
      throw Error(ErrorKind::kHook,
                  absl::StrCat("[checkpoint] the function saves more tensors when it is run again "
                               "than the ",
                               count,
                               " of its first run; it must compute the same each time; keep what "
                               "it depends on unchanged"));
    }
    made.push_back(tensor);
    versions.push_back(tensor.version());
    if (options_.early_stop && made.size() == count) throw StopRecomputation{&made};
    return std::any(tensor);
  };
  bool stopped = false;
  {
    InferenceMode recording(false);
    // The nodes go when this ends, so their keys and the task's list of new nodes are not touched.
    OrderScope keys(CurrentThread().next_order_key);
    const VariableList inputs = inputs_->Unpack();
    SavedTensorHooksGuard guard({.pack = collect, .unpack = [](const std::any& packed) {
                                   return std::any_cast<Tensor>(packed);
                                 }});
    try {
      function_(inputs);
    } catch (const StopRecomputation& stop) {
      if (stop.recomputation != &made) throw;
      stopped = true;
    }
  }
  if (!stopped && made.size() < count) {
    throw Error(ErrorKind::kHook,
                absl::StrCat("[checkpoint] the function saves ", made.size(),
                             " tensors when it is run again and saved ", count,
                             " in its first run; it must compute the same each time; keep what it "
                             "depends on unchanged"));
  }
  for (size_t i = 0; i < made.size(); ++i) {
    if (made[i].version() == versions[i]) continue;
    throw Error(ErrorKind::kVersion,
                absl::StrCat("[checkpoint] the function writes a tensor ",
                             DTypeName(made[i].dtype()), ShapeToString(made[i].sizes()),
                             " that a node saved; it must not be written before backward; write to "
                             "a copy of it"));
  }
  CheckTypes(made);
  return made;
}

void Frame::CheckTypes(const Made& made) {
  sync::MutexLock lock(mutex_);
  for (size_t i = 0; i < made.size(); ++i) {
    const InputMetadata& type = types_.Read()[i];
    if (type.Matches(made[i])) continue;
    throw Error(ErrorKind::kHook,
                absl::StrCat("[checkpoint] saved tensor ", i, " is ", DTypeName(made[i].dtype()),
                             ShapeToString(made[i].sizes()), " on ", made[i].device().ToString(),
                             " when the function is run again and was ", DTypeName(type.dtype()),
                             ShapeToString(type.sizes()), " on ", type.device().ToString(),
                             "; the function must compute the same each time; keep what it "
                             "depends on unchanged"));
  }
}

Tensor Frame::Take(size_t number, const FramePtr& self) {
  GraphTask* const running = CurrentEngineThread().task;
  const uint64_t task = running == nullptr ? 0 : running->number();
  {
    sync::MutexLock lock(mutex_);
    auto& all = recomputed_.Mutable();
    if (auto it = all.find(task); it != all.end() && it->second[number].defined()) {
      return std::exchange(it->second[number], Tensor());
    }
  }
  Made made = Recompute();
  Tensor taken = std::exchange(made[number], Tensor());
  if (running == nullptr) return taken;
  Made rest;  // of another thread's recomputation; destroyed after the lock is given up
  {
    sync::MutexLock lock(mutex_);
    rest = std::exchange(recomputed_.Mutable()[task], std::move(made));
  }
  // Nodes that this call does not execute leave theirs.
  Engine::QueueCallback([weak = sync::WeakPtr<Frame>(self), task] {
    if (const FramePtr frame = weak.lock(); frame != nullptr) frame->Forget(task);
  });
  return taken;
}

void Frame::Drop(size_t number) {
  Made dropped;  // destroyed after the lock is given up
  sync::MutexLock lock(mutex_);
  for (auto& [task, made] : recomputed_.Mutable()) dropped.push_back(std::move(made[number]));
}

void Frame::Forget(uint64_t task) {
  Made dropped;
  sync::MutexLock lock(mutex_);
  auto& all = recomputed_.Mutable();
  const auto it = all.find(task);
  if (it == all.end()) return;
  dropped = std::move(it->second);
  all.erase(it);
}

}  // namespace

VariableList Checkpoint(CheckpointFunction function, const VariableList& inputs,
                        CheckpointOptions options) {
  if (!GradMode::IsEnabled()) return function(inputs);
  const auto frame = sync::MakeShared<Frame>(std::move(function), inputs, options);
  VariableList results;
  {
    SavedTensorHooksGuard guard({.pack = [frame](const Tensor& tensor) -> std::any {
                                   return sync::MakeShared<Place>(frame, frame->Note(tensor));
                                 },
                                 .unpack =
                                     [](const std::any& packed) {
                                       const auto& place = std::any_cast<const PlacePtr&>(packed);
                                       return place->frame->Take(place->number, place->frame);
                                     }});
    results = frame->function()(inputs);
  }
  frame->FunctionReturned();
  return results;
}

}  // namespace twingrad
