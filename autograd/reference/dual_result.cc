// What a run of the dual witness ends with.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "autograd/reference/dual_interpreter.h"

namespace twingrad::reference {

using program::ValueId;

void DualInterpreter::Show(const Array& array, const std::vector<double>& spread,
                           DualTensor& tensor) const {
  tensor.known = true;
  tensor.data.assign(array.v, array.v + array.size);
  tensor.bound.clear();
  tensor.spread = spread;
  for (int32_t i = 0; i < array.size; ++i) {
    const double e = array.e == nullptr ? 0 : array.e[i];
    const double bound = std::isnan(array.v[i]) ? kUnknown : e == kEitherSign ? 0 : e;
    if (bound == 0) continue;
    tensor.bound.resize(static_cast<size_t>(array.size));
    tensor.bound[static_cast<size_t>(i)] = bound;
  }
}

// The elements alone, without tangents.
const Array& DualInterpreter::ContentOf(const DualValue& value) {
  return *Gathered(arena_, storages_[value.storage].content, value.map, value.shape);
}

void DualInterpreter::NoteWatched(const Engagement& call) {
  for (size_t w = 0; w < watches_.size(); ++w) {
    const Watch& watch = watches_[w];
    const DualValue& value = values_[static_cast<size_t>(watch.value)];
    if (watch.call != statement_ || !value.defined) continue;
    if (watch.of_grad) {
      // A call within this one may add before hooks see it, or after that.
      if (call.disturbed.adds) result_.watched[w].known = false;
    } else if (IsFloating(storages_[value.storage].content->dtype)) {
      std::vector<double> spread;
      const Jets gradient = GradientOf(watch.value, call, &spread);
      Show(*gradient.value, spread, result_.watched[w]);
    }
  }
}

// What hooks see of it, whatever they make of it then.
void DualInterpreter::NoteWatchedGrad(ValueId value, const Array& grad) {
  const Watch watch{statement_, value, true};
  const DualValue& of = values_[static_cast<size_t>(value)];
  for (size_t w = 0; w < watches_.size(); ++w) {
    if (!(watches_[w] == watch) || !of.grad_known || !IsFloating(grad.dtype)) continue;
    Show(grad, of.grad_spread, result_.watched[w]);
  }
}

void DualInterpreter::Finish() {
  result_.values.resize(values_.size());
  result_.grads.resize(values_.size());
  for (size_t v = 0; v < values_.size(); ++v) {
    const DualValue& value = values_[v];
    if (!value.defined) continue;
    const Array& content = ContentOf(value);
    if (IsFloating(content.dtype)) Show(content, value.spread, result_.values[v]);
    const bool has_grad = plan_.values[v].leaf || value.grad.value != nullptr;
    if (!has_grad || !value.grad_known) continue;
    const Array* grad = value.grad.value;
    if (grad == nullptr) grad = Filled(arena_, DType::kF64, value.shape, value.map.size, 0);
    if (IsFloating(grad->dtype)) Show(*grad, value.grad_spread, result_.grads[v]);
  }
}

}  // namespace twingrad::reference
