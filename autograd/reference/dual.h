// The dual-number witness: derivatives of first and second order in forward mode, with no tape.
//
// Every number carries its derivatives along all leaf elements, and its second derivatives where
// the Program needs them. Tensors that share storage share their jets, so views and in-place writes
// need no rules of their own. The witness predicts only numbers, and only up to an error: no
// counts, no order, no definedness (an absent gradient is zero). A pure function of the Program;
// safe from any thread.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "autograd/program/program.h"
#include "autograd/reference/choices.h"

namespace twingrad::reference {

// A tensor as the witness knows it. `bound` is the witness's own distance from the exact value:
// an engine agrees when it lies within `bound` plus its own error bound; +infinity: not compared.
// An infinite number with bound 0 is infinite. NaN: mathematics names no number.
struct DualTensor {
  bool known = false;  // false: the witness does not know this tensor
  std::vector<double> data;
  std::vector<double> bound;
  std::vector<bool> or_nan;    // NaN is right too: 0 times an infinity
  std::vector<double> spread;  // how far other legal numbers lie from `data`; empty: 0
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
  // The points without a derivative that were met, in order. Derivatives there are this
  // repository's choice; legal.h has the others.
  std::vector<KinkPoint> kinks;
};

// With this repository's choices.
DualResult RunDual(const program::Program& program);
// Of a Program that ends in an error at this statement: of the statements before it. What a call
// has added to .grad before it failed is not known.
DualResult RunDualBefore(program::Program program, int32_t statement);
DualResult RunDualWith(const program::Program& program, Choices& choices);
// The points that a Program meets which the witness cannot judge, as far as it can follow.
std::vector<KinkPoint> KinksOf(const program::Program& program);

}  // namespace twingrad::reference
