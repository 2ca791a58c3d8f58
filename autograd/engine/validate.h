// Checks that gradients have the types of the places they go to.

#pragma once

#include <string_view>

#include "autograd/base/span.h"
#include "autograd/graph/edge.h"
#include "autograd/graph/node.h"

namespace twingrad {

// There must be one gradient per edge (else Error kGradCount). Undefined gradients and invalid
// edges are skipped. A gradient whose shape can be summed to the place's shape is summed; another
// floating dtype is cast; any other mismatch is Error kShape, kDType or kDevice. A sparse gradient
// for a dense tensor passes, and a dense one for a sparse tensor. `source` names the
// producer of the gradients in the message.
void ValidateGradients(Span<const Edge> edges, VariableList& gradients, std::string_view source);

// The slow path: one gradient that does not match.
void FitGradient(const InputMetadata& place, size_t i, Tensor& gradient, std::string_view source);

inline bool GradientsMatch(Span<const Edge> edges, const VariableList& gradients) {
  if (edges.size() != gradients.size()) return false;
  for (size_t i = 0; i < edges.size(); ++i) {
    if (!edges[i].is_valid() || !gradients[i].defined()) continue;
    const Edge& edge = edges[i];
    if (!edge.function->input_metadata(edge.input_nr).Matches(gradients[i])) return false;
  }
  return true;
}

}  // namespace twingrad
