// Hooks on several tensors at once.
//
//   RegisterAllGradsHook({a, b}, [](const std::vector<Tensor>& gradients) { ... });
//   RegisterAnyGradHook({a, b}, [](const Tensor& gradient) { ... });
//
// The first runs once a call, when the gradients of all those tensors have passed that the call
// reaches at all; those of the others are undefined. The second runs once a call, with the first
// gradient that passes. Both see what the tensors' own hooks registered before have made of the
// gradients, and change nothing. Each call counts for itself: calls at the same time, nested ones
// and ones that failed do not disturb each other. They run like tensor hooks (graph/hooks.h), on
// the thread that evaluates the node; a hook whose call has other threads too must be ready for any
// of them.

#pragma once

#include <functional>
#include <vector>

#include "autograd/base/span.h"
#include "autograd/graph/hooks.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

using AllGradsHook = std::function<void(const std::vector<Tensor>& gradients)>;
using AnyGradHook = std::function<void(const Tensor& gradient)>;

// One handle a tensor; removing one takes its tensor away from those that count. Each tensor must
// require grad (else Error kNoGraph, and nothing is registered), and the list must not be empty.
std::vector<HookHandle> RegisterAllGradsHook(Span<const Tensor> tensors, AllGradsHook hook);
std::vector<HookHandle> RegisterAnyGradHook(Span<const Tensor> tensors, AnyGradHook hook);

void Remove(Span<const HookHandle> handles);

}  // namespace twingrad
