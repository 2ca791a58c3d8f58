// The types of norms: layer_norm, group_norm and batch_norm. See result_type.h.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "autograd/program/element_text.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/limits.h"
#include "autograd/program/result_type.h"

namespace twingrad::program {

// Of [N, C, ..] with channels that groups= divides.
bool Inference::Channels(Shape* of_weights) {
  if (rank() < 2) {
    return fault_.BlameOperand(0, signature_.name, " of a value of rank ", rank(),
                               "; of [N,C,..] it goes, of rank 2 or more");
  }
  if (!CheckSizes(0, 1)) return false;
  const int64_t channels = shape()[1];
  const auto groups = statement_.Get<int64_t>(Key::kGroups, 1);
  if (groups < 1 || channels % groups != 0) {
    return fault_.BlameKey(Key::kGroups, channels, " channels in ", groups,
                           " groups; groups= must divide the number of channels");
  }
  *of_weights = {channels};
  return true;
}

bool Inference::Norm() {
  result_.shape = shape();
  Shape of_weights;
  if (op() == Opcode::kLayerNorm) {
    const auto count = statement_.Get<int64_t>(Key::kCount);
    if (count < 1 || count > rank()) {
      return fault_.BlameKey(Key::kCount, "layer_norm over ", count,
                             " dimensions of a value of rank ", rank(),
                             "; count= takes 1 to the rank");
    }
    of_weights.assign(shape().end() - count, shape().end());
  } else if (!Channels(&of_weights)) {
    return false;
  }
  for (size_t k = 1; k < operands_.size(); ++k) {
    if (shape(k) == of_weights) continue;
    return fault_.BlameOperand(k, "shape ", ShapeText(shape(k)), " beside ", ShapeText(shape()),
                               "; ", signature_.name, " takes ", ShapeText(of_weights), " here");
  }
  const double eps = statement_.Get<double>(Key::kEps);
  if (eps > 0 && std::isfinite(eps) && IsRepresentable(eps, FormatOf(result_.dtype))) {
    work_ = 4 * NumElements(shape());
    return true;
  }
  return fault_.BlameKey(Key::kEps, "eps=", eps, " of ", signature_.name, " on ",
                         DTypeName(result_.dtype),
                         "; it must be above 0, finite and a number that this type holds");
}

}  // namespace twingrad::program
