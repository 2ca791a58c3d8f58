// Making a gradient fit where it goes, or saying why it does not. See validate.h.

#include "autograd/engine/validate.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/graph/variable.h"
#include "autograd/ops/broadcast.h"
#include "autograd/ops/copy.h"
#include "autograd/ops/sparse.h"
#include "autograd/tensor/kernels/loops.h"

namespace twingrad {

namespace {

// Sparse gradients are neither summed to another shape nor moved. They are cast as sums, as dense
// ones are.
void FitSparseGradient(const InputMetadata& place, size_t i, Tensor& gradient,
                       std::string_view source) {
  const bool casts = !place.TakesAnyDType() && gradient.dtype() != place.dtype();
  const Shape wanted = place.sizes();
  if (gradient.sizes() != Span<const int64_t>(wanted) || gradient.device() != place.device() ||
      (casts && !IsFloating(place.dtype()))) {
    throw Error(
        ErrorKind::kShape,
        absl::StrCat("[engine] gradient ", i, " that ", source, " gave is sparse, ",
                     DTypeName(gradient.dtype()), ShapeToString(gradient.sizes()), " on ",
                     gradient.device().ToString(), ", for a tensor of shape ",
                     ShapeToString(wanted), " on ", place.device().ToString(),
                     "; a sparse gradient must have the operand's shape and device; make it dense "
                     "first"));
  }
  if (casts) gradient = ops::CastSparse(ops::Coalesce(gradient), place.dtype());
}

}  // namespace

void FitGradient(const InputMetadata& place, size_t i, Tensor& gradient, std::string_view source) {
  if (gradient.is_sparse()) return FitSparseGradient(place, i, gradient, source);
  const Shape wanted = place.sizes();
  if (gradient.sizes() != Span<const int64_t>(wanted)) {
    if (!kernels::BroadcastsTo(wanted, gradient.sizes())) {
      throw Error(ErrorKind::kShape,
                  absl::StrCat("[engine] gradient ", i, " that ", source, " gave has shape ",
                               ShapeToString(gradient.sizes()), " where ", ShapeToString(wanted),
                               " is expected; a shape that broadcasting made of it is allowed; "
                               "return the operand's shape"));
    }
    gradient = ops::SumTo(gradient, wanted);
  }
  const bool fits_dtype =
      place.TakesAnyDType() ? IsFloating(gradient.dtype()) : gradient.dtype() == place.dtype();
  if (!fits_dtype) {
    if (place.TakesAnyDType() || !IsFloating(place.dtype())) {
      throw Error(ErrorKind::kDType,
                  absl::StrCat(
                      "[engine] gradient ", i, " that ", source, " gave is ",
                      DTypeName(gradient.dtype()), " for a tensor of ",
                      place.TakesAnyDType() ? "floating elements" : DTypeName(place.dtype()),
                      "; gradients and the tensors that have them are floating; return undefined"));
    }
    gradient = ops::Cast(gradient, place.dtype());
  }
  if (gradient.device() != place.device()) {
    if (gradient.dim() != 0) {
      throw Error(ErrorKind::kDevice,
                  absl::StrCat("[engine] gradient ", i, " that ", source, " gave is on ",
                               gradient.device().ToString(), " where ", place.device().ToString(),
                               " is expected; it must lie on the operand's device; copy it there"));
    }
    gradient = ops::To(gradient, place.device());
  }
}

void ValidateGradients(Span<const Edge> edges, VariableList& gradients, std::string_view source) {
  if (edges.size() != gradients.size()) {
    throw Error(ErrorKind::kGradCount,
                absl::StrCat("[engine] ", source, " gave ", gradients.size(), " gradients for ",
                             edges.size(),
                             " edges; there must be one for each, undefined ones "
                             "where there is none; return as many as there are operands"));
  }
  for (size_t i = 0; i < edges.size(); ++i) {
    if (!edges[i].is_valid() || !gradients[i].defined()) continue;
    const InputMetadata& place = edges[i].function->input_metadata(edges[i].input_nr);
    if (!place.Matches(gradients[i])) FitGradient(place, i, gradients[i], source);
  }
}

}  // namespace twingrad
