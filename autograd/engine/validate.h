// Checks that gradients have the types of the places they go to.

#ifndef AUTOGRAD_ENGINE_VALIDATE_H_
#define AUTOGRAD_ENGINE_VALIDATE_H_

#include <string_view>

#include "absl/types/span.h"
#include "autograd/graph/edge.h"
#include "autograd/graph/node.h"

namespace twingrad {

// One gradient an edge, as many as edges (else Error kGradCount). Undefined gradients and invalid
// edges are passed over. A gradient whose shape can be summed to the place's is, another floating
// dtype is cast; what else does not fit is Error kShape, kDType or kDevice. `source` names who made
// them, for the message.
void ValidateGradients(absl::Span<const Edge> edges, VariableList& gradients,
                       std::string_view source);

// The slow part: one gradient that does not match.
void FitGradient(const InputMetadata& place, size_t i, Tensor& gradient, std::string_view source);

inline bool GradientsMatch(absl::Span<const Edge> edges, const VariableList& gradients) {
  if (edges.size() != gradients.size()) return false;
  for (size_t i = 0; i < edges.size(); ++i) {
    if (!edges[i].is_valid() || !gradients[i].defined()) continue;
    const Edge& edge = edges[i];
    if (!edge.function->input_metadata(edge.input_nr).Matches(gradients[i])) return false;
  }
  return true;
}

}  // namespace twingrad

#endif  // AUTOGRAD_ENGINE_VALIDATE_H_
