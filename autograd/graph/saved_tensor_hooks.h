// Saved-tensor hooks: functions of the user between a node and what it keeps for backward.
//
//   SavedTensorHooksGuard guard({.pack = [](const Tensor& t) { return std::any(WriteToDisk(t)); },
//                                .unpack = [](const std::any& p) { return ReadFromDisk(p); }});
//   Tensor y = Mul(a, b);                    // keeps what pack returned, not the tensors
//
// While a guard lives, every tensor that a node saves on this thread goes through its pack hook;
// the innermost guard wins. A saved tensor keeps its pair, so unpack may run long after the guard.
//
// pack gets the data without history, runs without recording and with the next outer guard in
// force, and must not write its argument: Error(kHook). What it throws leaves the operation, which
// then has not written anything. unpack runs whenever a node uses the tensor, in the modes of the
// backward call. It must return the saved type (dtype, shape, device): Error(kHook). The result
// gets the saved tensor's place in the graph. Its version is not checked: a pack hook that returns
// its argument as it is sees later writes to it.
//
// Threads: a guard belongs to its thread and to the calls made under it. One unpack hook may be run
// by several threads at once.

#pragma once

#include <any>
#include <functional>
#include <string>

#include "autograd/graph/edge.h"
#include "autograd/sync/ref_count.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

struct SavedTensorHooks {
  std::function<std::any(const Tensor& tensor)> pack;
  std::function<Tensor(const std::any& packed)> unpack;
};

// One guard in force; ThreadState points to the innermost one.
struct SavedTensorHooksFrame final : sync::RefCounted<SavedTensorHooksFrame> {
  SavedTensorHooks hooks;  // empty: from here inwards hooks are disabled
  std::string why_disabled;
  const SavedTensorHooksFrame* outer = nullptr;
};

// Error(kInvalidArgument) on an empty function, or where hooks are disabled.
class [[nodiscard]] SavedTensorHooksGuard {
 public:
  explicit SavedTensorHooksGuard(SavedTensorHooks hooks);
  ~SavedTensorHooksGuard();
  SavedTensorHooksGuard(const SavedTensorHooksGuard&) = delete;
  SavedTensorHooksGuard& operator=(const SavedTensorHooksGuard&) = delete;

 private:
  sync::IntrusivePtr<SavedTensorHooksFrame> frame_;
};

// While it lives, a SavedTensorHooksGuard on this thread is an Error(kInvalidArgument) that says
// `why`; so is this guard itself where hooks are in force.
class [[nodiscard]] DisableSavedTensorHooksGuard {
 public:
  explicit DisableSavedTensorHooksGuard(std::string why);
  ~DisableSavedTensorHooksGuard();
  DisableSavedTensorHooksGuard(const DisableSavedTensorHooksGuard&) = delete;
  DisableSavedTensorHooksGuard& operator=(const DisableSavedTensorHooksGuard&) = delete;

 private:
  sync::IntrusivePtr<SavedTensorHooksFrame> frame_;
};

// A pair for one saved tensor, in force nowhere. Error(kInvalidArgument) on an empty function.
sync::IntrusivePtr<SavedTensorHooksFrame> MakeSavedTensorHooks(SavedTensorHooks hooks);

// The pair that tensors saved now go through; null where there is none.
const SavedTensorHooksFrame* SavedTensorHooksInForce();

// What a pack hook made of one saved tensor, with its hooks and the type that unpack must give.
class PackedTensor final : public sync::RefCounted<PackedTensor> {
 public:
  // Runs the pack hook of `frame`.
  PackedTensor(const Tensor& tensor, const SavedTensorHooksFrame& frame);
  // Runs the unpack hook. The result has no history.
  Tensor Unpack() const;

 private:
  sync::IntrusivePtr<const SavedTensorHooksFrame> frame_;
  InputMetadata type_;
  std::any packed_;
};
using PackedTensorPtr = sync::IntrusivePtr<const PackedTensor>;

}  // namespace twingrad
