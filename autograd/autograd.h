// All that a user of the library needs, in one include.
//
//   #include "autograd/autograd.h"
//   using namespace twingrad;
//   Tensor x = Leaf(Tensor::FromData<double>({2}, {3, 4}));
//   Tensor y = Sum(x * x);
//   Backward({y});
//   std::cout << GradOf(x);          // 6, 8
//
// Tensors and their text, operations and operators, requires_grad and `.grad`, custom functions,
// hooks and guards, Backward and Grad, random numbers. Each header says what it holds, its errors
// and its threads. optim, functional, gradcheck, inspect and safetensors have headers of their own.

#pragma once

#include "autograd/base/error.h"                // IWYU pragma: export
#include "autograd/engine/checkpoint.h"         // IWYU pragma: export
#include "autograd/engine/current_task.h"       // IWYU pragma: export
#include "autograd/engine/engine.h"             // IWYU pragma: export
#include "autograd/engine/front_end.h"          // IWYU pragma: export
#include "autograd/engine/multi_hook.h"         // IWYU pragma: export
#include "autograd/engine/multithreading.h"     // IWYU pragma: export
#include "autograd/graph/anomaly.h"             // IWYU pragma: export
#include "autograd/graph/call_state.h"          // IWYU pragma: export
#include "autograd/graph/custom_function.h"     // IWYU pragma: export
#include "autograd/graph/error_node.h"          // IWYU pragma: export
#include "autograd/graph/gradient_edge.h"       // IWYU pragma: export
#include "autograd/graph/hooks.h"               // IWYU pragma: export
#include "autograd/graph/inference_mode.h"      // IWYU pragma: export
#include "autograd/graph/leaf.h"                // IWYU pragma: export
#include "autograd/graph/node.h"                // IWYU pragma: export
#include "autograd/graph/node_creation.h"       // IWYU pragma: export
#include "autograd/graph/saved_tensor_hooks.h"  // IWYU pragma: export
#include "autograd/graph/thread_state.h"        // IWYU pragma: export
#include "autograd/graph/variable.h"            // IWYU pragma: export
#include "autograd/graph/view.h"                // IWYU pragma: export
#include "autograd/graph/warning.h"             // IWYU pragma: export
#include "autograd/notation/elements.h"         // IWYU pragma: export
#include "autograd/notation/functions.h"        // IWYU pragma: export
#include "autograd/notation/indexing.h"         // IWYU pragma: export
#include "autograd/notation/networks.h"         // IWYU pragma: export
#include "autograd/notation/norms.h"            // IWYU pragma: export
#include "autograd/notation/operators.h"        // IWYU pragma: export
#include "autograd/notation/print.h"            // IWYU pragma: export
#include "autograd/ops/ops.h"                   // IWYU pragma: export
#include "autograd/random/random.h"             // IWYU pragma: export
#include "autograd/tensor/sparse.h"             // IWYU pragma: export
#include "autograd/tensor/tensor.h"             // IWYU pragma: export
