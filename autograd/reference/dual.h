// The dual-number witness: derivatives of first and second order in forward mode, with no tape.
//
// Every number carries its derivatives along all leaf elements, and its second derivatives where
// the Program needs them. Tensors that share storage share their jets, so views and in-place writes
// need no rules of their own. The witness predicts only numbers, and only for Programs that run
// without an error: no counts, no order, no definedness (an absent gradient is zero). A pure
// function of the Program; safe from any thread.

#pragma once

#include <string>
#include <vector>

#include "autograd/program/program.h"

namespace twingrad::reference {

// A tensor as the witness knows it. `bound` is the witness's own distance from the exact value:
// an engine agrees when it lies within `bound` plus its own error bound; +infinity: not compared.
struct DualTensor {
  bool known = false;  // false: the witness does not know this tensor
  std::vector<double> data;
  std::vector<double> bound;
};

struct DualResult {
  // 2 where the Program uses gradients made with create_graph, 1 where it has a call, else 0.
  int order_needed = 0;
  // The order to which it was judged: order_needed, or 0 with the reason.
  int order_judged = 0;
  std::string not_applicable;
  // By ValueId, at the end of the run: contents (floating tensors) and .grad (zero where none).
  std::vector<DualTensor> values;
  std::vector<DualTensor> grads;
  // A point without a derivative was touched (0 at relu, abs, sqrt or log, a tie at maximum):
  // derivatives there follow this repository's conventions, and other engines may use others. Also
  // set for Programs of third and higher order, which are not judged.
  bool kink = false;
};

DualResult RunDual(const program::Program& program);

}  // namespace twingrad::reference
