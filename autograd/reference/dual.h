// The dual-number witness: derivatives of first and second order in forward mode, with no tape.
//
// Every number carries its derivatives along all leaf elements, and its second derivatives where
// the Program needs them. Tensors that share storage share their jets, so views and in-place writes
// need no rules of their own. The witness predicts only numbers: no counts, no order, no
// definedness (an absent gradient is zero), no errors. Which statements fail it must be told; it
// then follows what is left to run. What it does not follow makes unknown the elements that it
// reaches, and no other. A pure function of the Program; safe from any thread.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "autograd/program/program.h"
#include "autograd/reference/choices.h"
#include "autograd/reference/numbers.h"

namespace twingrad::reference {

// Most tensors have few elements.
using DualNumbers = absl::InlinedVector<double, 8>;

// A tensor as the witness knows it. `bound` is the witness's own distance from the exact value:
// an engine agrees when it lies within `bound` plus its own error bound; +infinity: not compared.
// An infinite number with bound 0 is infinite. NaN: mathematics names no number.
struct DualTensor {
  bool known = false;  // false: the witness does not know this tensor
  DualNumbers data;
  std::vector<double> bound;   // or kOrNan; empty where all are 0, as most are
  std::vector<double> spread;  // how far other legal numbers lie from `data`; empty: 0

  double BoundOf(size_t element) const {
    return element < bound.size() && bound[element] != kOrNan ? bound[element] : 0;
  }
  // Whether NaN is right too: 0 times an infinity.
  bool IsOrNan(size_t element) const { return element < bound.size() && bound[element] == kOrNan; }
};

// A gradient that only hooks see: what comes to a value in a call, its tensor hooks included, or
// .grad when the call has added to it.
struct Watch {
  int32_t call = -1;  // the statement
  program::ValueId value = program::kNoValue;
  bool of_grad = false;
  bool operator==(const Watch&) const = default;
};

struct DualResult {
  // 2 where the Program uses gradients made with create_graph, 1 where it has a call, else 0.
  int order_needed = 0;
  // The order to which it was followed: order_needed, or 0 with the reason.
  int order_judged = 0;
  std::string not_applicable;
  // By ValueId, at the end of the run: contents (floating tensors) and .grad (zero where none).
  std::vector<DualTensor> values;
  std::vector<DualTensor> grads;
  // By ValueId, also where nothing was judged: the order of the derivatives that they hold. Of
  // contents for results of `grad`, else 0; of .grad for what the last calls add to it.
  std::vector<int> value_orders;
  std::vector<int> grad_orders;
  std::vector<DualTensor> watched;  // by watch that was asked for
  // The points without a derivative that were met, in order. Derivatives there are this
  // repository's choice; legal.h has the others.
  std::vector<KinkPoint> kinks;
};

// With this repository's choices. `failed`: the statements that end in an error. Each ends the
// innermost region that holds errors, or the run. What a call adds to .grad before it fails is not
// known. What is watched costs variables of its own.
DualResult RunDual(const program::Program& program, absl::Span<const int32_t> failed = {});
DualResult RunDualWith(const program::Program& program, Choices& choices,
                       absl::Span<const int32_t> failed = {}, absl::Span<const Watch> watches = {});
// The points that a Program meets which the witness cannot judge, as far as it can follow.
std::vector<KinkPoint> KinksOf(const program::Program& program,
                               absl::Span<const int32_t> failed = {});

}  // namespace twingrad::reference
