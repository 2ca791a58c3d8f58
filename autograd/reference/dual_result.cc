// What a run of the dual witness ends with.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "autograd/reference/dual_interpreter.h"

namespace twingrad::reference {

using program::ValueId;

namespace {

// With the first entry that is not 0 the list comes to be.
template <class List, class Entry>
void Put(List& list, int32_t at, Entry entry, int32_t size) {
  if (list.empty()) list.resize(static_cast<size_t>(size));
  list[static_cast<size_t>(at)] = entry;
}

}  // namespace

DualTensor DualInterpreter::Known(const Array& array, const std::vector<double>& spread) const {
  DualTensor tensor;
  tensor.known = true;
  tensor.data.assign(array.v, array.v + array.size);
  tensor.spread = spread;
  for (int32_t i = 0; i < array.size; ++i) {
    const bool or_nan = array.e != nullptr && array.e[i] == kOrNan;
    const bool is_sure = or_nan || array.Signless(i).e == kEitherSign;
    const double bound = std::isnan(array.v[i]) ? kUnknown : is_sure ? 0 : array.Error(i);
    if (or_nan) Put(tensor.or_nan, i, true, array.size);
    if (bound != 0) Put(tensor.bound, i, bound, array.size);
  }
  return tensor;
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
      result_.watched[w] = Known(*gradient.value, spread);
    }
  }
}

// What hooks see of it, whatever they make of it then.
void DualInterpreter::NoteWatchedGrad(ValueId value, const Array& grad) {
  const Watch watch{statement_, value, true};
  const DualValue& of = values_[static_cast<size_t>(value)];
  for (size_t w = 0; w < watches_.size(); ++w) {
    if (!(watches_[w] == watch) || !of.grad_known || !IsFloating(grad.dtype)) continue;
    result_.watched[w] = Known(grad, of.grad_spread);
  }
}

void DualInterpreter::Finish() {
  result_.values.resize(values_.size());
  result_.grads.resize(values_.size());
  for (size_t v = 0; v < values_.size(); ++v) {
    const DualValue& value = values_[v];
    if (!value.defined) continue;
    const Array& content = *Read(static_cast<ValueId>(v)).value;
    if (IsFloating(content.dtype)) result_.values[v] = Known(content, value.spread);
    const bool has_grad = plan_.values[v].leaf || value.grad.value != nullptr;
    if (!has_grad || !value.grad_known) continue;
    const Array* grad = value.grad.value;
    if (grad == nullptr) grad = Filled(arena_, DType::kF64, value.shape, value.map.size, 0);
    if (IsFloating(grad->dtype)) result_.grads[v] = Known(*grad, value.grad_spread);
  }
}

}  // namespace twingrad::reference
