// Checkpoints: memory for time. What a function's nodes save is not kept, but computed again when
// backward needs it.
//
//   VariableList y = Checkpoint([w](const VariableList& x) -> VariableList {
//     return {Exp(Mul(x[0], w))};
//   }, {x});
//   Backward({Sum(y[0])});                     // runs the function a second time
//
// The function must compute the same each time: what it saves must agree in number, dtype, shape
// and device, else Error(kHook); so must values, which nobody can check. It may read other tensors
// than its inputs, but must not write its inputs or, after a node saved it, what it made itself:
// Error(kVersion). The gradients are those of the function called directly, to any order.
//
// Checkpoint is made of saved-tensor hooks, so pairs of the function's own apply inside. It may be
// nested; each call of the engine recomputes once, at the first node that needs it, and drops each
// tensor at its use. A recomputation runs with grad mode on, stops when it has made what was saved
// (early_stop), and its nodes go at once.
//
// Threads: nodes of one checkpoint may run on several threads at once. No lock is held while the
// function runs, so two threads may recompute at the same time; it must bear that.

#pragma once

#include <functional>

#include "autograd/graph/node.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

using CheckpointFunction = std::function<VariableList(const VariableList& inputs)>;

struct CheckpointOptions {
  // Without it the function runs to its end every time, for what it does besides.
  bool early_stop = true;
};

VariableList Checkpoint(CheckpointFunction function, const VariableList& inputs,
                        CheckpointOptions options = {});

// The older way: the function runs without recording, and its one node runs it again and a backward
// of its own, so that leaves which the function reads besides get their gradients too. That works
// only where calls execute whatever they reach and make no graph: inside Grad, Backward with inputs
// or create_graph it is an Error(kInvalidArgument). If no input requires grad, nothing is recorded.
VariableList ReentrantCheckpoint(CheckpointFunction function, const VariableList& inputs);

}  // namespace twingrad
