// Guards of saved-tensor hooks, and running a pair. See saved_tensor_hooks.h.

#include "autograd/graph/saved_tensor_hooks.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/graph/node.h"
#include "autograd/graph/thread_state.h"

namespace twingrad {
namespace {

using FramePtr = sync::IntrusivePtr<SavedTensorHooksFrame>;

// Puts a frame in force; see Modes.
FramePtr Push(FramePtr frame) {
  ThreadState& thread = CurrentThread();
  frame->outer = thread.modes.saved_tensor_hooks;
  thread.modes.saved_tensor_hooks = frame.get();
  return frame;
}

void Pop(const FramePtr& frame) { CurrentThread().modes.saved_tensor_hooks = frame->outer; }

// Has `frame` in force until the end of the block.
class WithFrame {
 public:
  explicit WithFrame(const SavedTensorHooksFrame* frame)
      : before_(CurrentThread().modes.saved_tensor_hooks) {
    CurrentThread().modes.saved_tensor_hooks = frame;
  }
  ~WithFrame() { CurrentThread().modes.saved_tensor_hooks = before_; }
  WithFrame(const WithFrame&) = delete;
  WithFrame& operator=(const WithFrame&) = delete;

 private:
  const SavedTensorHooksFrame* before_;
};

std::string TypeOf(DType dtype, Device device, Ints sizes) {
  return absl::StrCat(DTypeName(dtype), ShapeToString(sizes), " on ", device.ToString());
}

}  // namespace

FramePtr MakeSavedTensorHooks(SavedTensorHooks hooks) {
  if (!hooks.pack || !hooks.unpack) {
    throw Error(ErrorKind::kInvalidArgument,
                "[hook] a pair of saved-tensor hooks has an empty function; both must be ones that "
                "can be called; give both, or no pair");
  }
  auto frame = sync::MakeIntrusive<SavedTensorHooksFrame>();
  frame->hooks = std::move(hooks);
  return frame;
}

SavedTensorHooksGuard::SavedTensorHooksGuard(SavedTensorHooks hooks) {
  const SavedTensorHooksFrame* in_force = CurrentThread().modes.saved_tensor_hooks;
  if (in_force != nullptr && !in_force->hooks.pack) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[hook] saved-tensor hooks were to be set where they are disabled: ",
                             in_force->why_disabled,
                             "; they are allowed outside; end the DisableSavedTensorHooksGuard"));
  }
  frame_ = Push(MakeSavedTensorHooks(std::move(hooks)));
}

SavedTensorHooksGuard::~SavedTensorHooksGuard() { Pop(frame_); }

DisableSavedTensorHooksGuard::DisableSavedTensorHooksGuard(std::string why) {
  if (SavedTensorHooksInForce() != nullptr) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[hook] saved-tensor hooks were to be disabled where a pair is in "
                             "force: ",
                             why, "; they can be disabled where there is none; end its guard"));
  }
  auto frame = sync::MakeIntrusive<SavedTensorHooksFrame>();
  frame->why_disabled = std::move(why);
  frame_ = Push(std::move(frame));
}

DisableSavedTensorHooksGuard::~DisableSavedTensorHooksGuard() { Pop(frame_); }

const SavedTensorHooksFrame* SavedTensorHooksInForce() {
  const SavedTensorHooksFrame* frame = CurrentThread().modes.saved_tensor_hooks;
  return frame != nullptr && frame->hooks.pack ? frame : nullptr;
}

PackedTensor::PackedTensor(const Tensor& tensor, const SavedTensorHooksFrame& frame)
    : frame_(&frame), type_(tensor) {
  GradModeGuard no_grad(false);
  WithFrame outer(frame.outer);
  const uint32_t version = tensor.version();
  packed_ = frame.hooks.pack(tensor.Detach());
  if (tensor.version() == version) return;
  throw Error(ErrorKind::kHook,
              absl::StrCat("[hook] a pack hook wrote the tensor ",
                           TypeOf(tensor.dtype(), tensor.device(), tensor.sizes()),
                           " that it got; it may read it; write to a clone"));
}

Tensor PackedTensor::Unpack() const {
  Tensor tensor = frame_->hooks.unpack(packed_);
  if (tensor.defined() && type_.Matches(tensor)) {
    return tensor.impl()->meta() == nullptr ? tensor : tensor.Detach();
  }
  throw Error(
      ErrorKind::kHook,
      absl::StrCat("[hook] an unpack hook returned ",
                   tensor.defined() ? TypeOf(tensor.dtype(), tensor.device(), tensor.sizes())
                                    : std::string("an undefined tensor"),
                   " for a saved tensor ", TypeOf(type_.dtype(), type_.device(), type_.sizes()),
                   "; it must return the saved dtype, shape and device; convert the result"));
}

}  // namespace twingrad
