// Calls of the engine, in forward mode: a gradient is a row of tangents.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/reference/dual_interpreter.h"
#include "autograd/reference/partials.h"

namespace twingrad::reference {

using program::Key;
using program::kNoValue;
using program::Opcode;
using program::Statement;
using program::ValueId;

DualInterpreter::Engagement DualInterpreter::TakeRoots(const Statement& statement) {
  Engagement call;
  call.disturbed = DisturbedBy(statement);
  call.create_graph = statement.Get<bool>(Key::kCreateGraph);
  const StatementPlan& plan = plan_.statements[static_cast<size_t>(statement_)];
  call.has_history = call.create_graph && order_ > 1 && plan.order > 0;
  const auto given = statement.Get<std::vector<ValueId>>(Key::kSeeds);
  const bool grad_mode = grad_mode_;
  grad_mode_ = true;  // a root's derivatives are those of its history
  for (size_t r = 0; r < statement.operands.size(); ++r) {
    const ValueId root = statement.operands[r], seed = r < given.size() ? given[r] : kNoValue;
    call.roots.push_back(Read(root));
    call.of_gradients |= plan_.values[plan_.values[root].owner].level > 0;
    const Array& value = *call.roots.back().value;
    call.seeds.push_back(
        seed != kNoValue ? Read(seed)
                         : Jets{Filled(arena_, DType::kF64, value.shape, value.size, 1), nullptr});
    const Array& first = *call.seeds.back().value;
    if (first.size != value.size || !IsFloating(first.dtype)) {
      throw NotApplicable{"a seed does not fit"};
    }
    if (!call.create_graph) call.seeds.back().tangents = nullptr;
    for (const Tangents* t : {call.roots.back().tangents, call.seeds.back().tangents}) {
      if (t == nullptr) continue;
      const bool none = call.history.end == 0;
      call.history = {none ? t->begin : std::min(call.history.begin, t->begin),
                      std::max(call.history.end, t->end)};
    }
  }
  grad_mode_ = grad_mode;
  return call;
}

void DualInterpreter::Call(const Statement& statement) {
  const Engagement call = TakeRoots(statement);
  const auto* filter = statement.Find(Key::kInputs);
  std::vector<ValueId> inputs;
  if (filter != nullptr) inputs = std::get<std::vector<ValueId>>(*filter);
  const bool is_grad = statement.op == Opcode::kGrad;
  for (size_t i = 0; is_grad && i < inputs.size(); ++i) {
    std::vector<double> spread;
    Define(statement.results[i], GradientOf(inputs[i], call, &spread), values_[inputs[i]].shape);
    values_[statement.results[i]].spread = std::move(spread);
  }
  for (size_t v = 0; v < values_.size(); ++v) {
    DualValue& value = values_[v];
    if (!value.defined) continue;
    const auto id = static_cast<ValueId>(v);
    const bool leaf = plan_.values[v].leaf;
    const bool chosen = std::find(inputs.begin(), inputs.end(), id) != inputs.end();
    if (!is_grad && (chosen || (filter == nullptr && (leaf || value.retains_grad)))) {
      std::vector<double> spread;
      const Jets gradient = GradientOf(id, call, &spread);
      std::vector<double>& sum = value.grad_spread;
      sum.resize(std::max(sum.size(), spread.size()));
      for (size_t k = 0; k < spread.size(); ++k) sum[k] += spread[k];
      Accumulate(id, gradient, call.create_graph, !leaf);
      value.retains_grad |= chosen && !leaf;
    } else if (value.retains_grad) {
      value.grad_known = false;  // it hangs on which nodes the call runs
    }
  }
  AddOfOthers(call.disturbed, call.create_graph);
  NoteWatched(call);
}

// The derivative of sum(seeds * roots) along the variables of `input`.
// *spread gets entries if legal ones lie beside them.
Jets DualInterpreter::GradientOf(ValueId input, const Engagement& call,
                                 std::vector<double>* spread) {
  const DualValue& value = values_[input];
  const DType dtype = storages_[value.storage].content->dtype;  // integers have no variables
  Array* gradient = NewArray(arena_, dtype, value.shape, value.map.size);
  gradient->e = arena_.Allocate<double>(value.map.size);
  const bool known =
      value.first_variable >= 0 && !(call.of_gradients && plan_.values[input].saves_result);
  if (!known) {
    if (IsFloating(dtype)) {
      std::fill(gradient->v, gradient->v + gradient->size, 0.0);
    } else {
      std::fill(gradient->i, gradient->i + gradient->size, 0);
    }
    std::fill(gradient->e, gradient->e + gradient->size, kUnknown);
    const bool has_history = call.has_history && IsFloating(dtype);
    const std::vector<bool> all(has_history ? static_cast<size_t>(gradient->size) : 0, true);
    const auto [begin, end] = call.history;
    return {gradient, has_history ? tangents_.Hidden(nullptr, all, begin, end) : nullptr};
  }
  for (int32_t j = 0; j < gradient->size; ++j) {
    double width = 0;
    const Number element = ElementOf(value.first_variable + j, call, &width);
    gradient->v[j] = element.v;
    gradient->e[j] = element.e;
    if (width == 0) continue;
    spread->resize(static_cast<size_t>(gradient->size));
    (*spread)[static_cast<size_t>(j)] = width;
  }
  Jets known_part{gradient, call.has_history ? GradientTangents(value, call) : nullptr};
  const Reach& reach = call.disturbed.gradients;
  if (reach.empty()) return known_part;
  return Excused(value, known_part, reach, call.has_history, call.history);
}

Number DualInterpreter::ElementOf(int32_t variable, const Engagement& call, double* spread) const {
  SumInAnyOrder sum(kF64Format);
  bool undefined = false, or_nan = false;
  double infinite = 0;
  // Of an infinity, whose sign is certain or not.
  const auto add_infinite = [&](double term) {
    undefined |= std::isnan(term) || infinite == -term;
    infinite = term;
  };
  for (size_t r = 0; r < call.roots.size(); ++r) {
    const Tangents* t = call.roots[r].tangents;
    if (t == nullptr || variable < t->begin || variable >= t->end) continue;
    for (int32_t i = 0; i < t->size; ++i) {
      const Number seed = call.seeds[r].value->At(i);
      const Number slope = t->Slope(i, variable);
      const bool is_sure = std::fabs(seed.v) > seed.e && (std::isinf(slope.v) || !MayBeZero(slope));
      if (seed.v == 0 && seed.e == 0 && std::isfinite(slope.v)) continue;
      *spread += (std::fabs(seed.v) + seed.e) * t->Spread(i, variable);
      if (std::isfinite(seed.v) && std::isfinite(slope.v)) {
        sum.Add(Multiply(seed, slope, kF64Format));
      } else if (slope.v == 0 && slope.e == 0 && !std::isnan(seed.v)) {
        or_nan = true;
        undefined |= tangents_.Zeroed(variable);
      } else if (seed.v == 0 && seed.e == 0 && std::isinf(slope.v)) {
        or_nan = true;
      } else {
        // An overflow is no infinity: added up in another order the terms may be finite.
        undefined |= std::isinf(slope.v) && slope.e == kUnknown;
        add_infinite(is_sure ? seed.v * slope.v : kNoDerivative.v);
      }
    }
  }
  if (undefined) return kNoDerivative;
  if (call.of_gradients && tangents_.AnySingular()) return {sum.Total().v, kUnknown};
  const int singular = tangents_.Singular(variable);
  if (infinite != 0) return {infinite, or_nan || singular > 1 ? kUnknown : kEitherSign};
  const Number total = sum.Total();
  if (!or_nan && singular == 0) return total;
  return {total.v, total.v == 0 && total.e == 0 ? kOrNan : kUnknown};
}

namespace {

// row[k] += seed * the second derivative of element i along `variable` and k, for each k of the
// interval. Returns a bound on the error of each of these terms, but for the rounding of a product.
double AddCurvature(const Tangents& t, int32_t i, int32_t variable, Number seed, double* row) {
  const double error = t.second_error[i];
  const auto product = [&](double derivative) {
    return Multiply(seed, {derivative, error}, kF64Format);
  };
  double largest = 0, worst = 0;
  const auto add = [&](int32_t k, double derivative) {
    const double term = seed.v * derivative;
    if (std::isfinite(term)) {
      row[k] += term;
      largest = std::max(largest, std::fabs(derivative));
    } else {
      row[k] += product(derivative).v;
      worst = std::max(worst, product(derivative).e);
    }
  };
  const bool holds = t.second != nullptr && t.support[i].Contains(variable);
  const Interval held = holds ? t.support[i] : Interval{t.end, t.end};
  if (holds) {
    // The column of the variable, from row to row, then its row.
    const double* const second = t.SecondOf(i);
    const int32_t v = variable - t.begin;
    for (int32_t k = held.begin - t.begin; k < v; ++k) add(t.begin + k, second[t.Row(k) + v]);
    for (int32_t k = v; k < held.end - t.begin; ++k) add(t.begin + k, second[t.Row(v) + k]);
  }
  // Only a seed that is not finite makes something of derivatives that are 0.
  if (!std::isfinite(seed.v)) {
    for (int32_t k = t.begin; k < held.begin; ++k) add(k, 0);
    for (int32_t k = held.end; k < t.end; ++k) add(k, 0);
  }
  return t.width() == 0 ? 0 : std::max(worst, product(largest).e);
}

}  // namespace

// The tangents of such a gradient: one order less than those of the roots.
const Tangents* DualInterpreter::GradientTangents(const DualValue& input, const Engagement& call) {
  Tangents* out = tangents_.New(input.map.size, 0, variables_, false, false);
  for (int32_t j = 0; j < out->size; ++j) {
    const int32_t variable = input.first_variable + j;
    out->support[j] = {out->begin, out->end};
    double error = 0, magnitude = 0;
    for (size_t r = 0; r < call.roots.size(); ++r) {
      const Tangents* t = call.roots[r].tangents;
      if (t == nullptr) continue;
      const Tangents* dt = call.seeds[r].tangents;
      for (int32_t i = 0; i < t->size; ++i) {
        const Number seed = call.seeds[r].value->At(i);
        magnitude += std::fabs(seed.v) * t->second_magnitude[i];
        error += AddCurvature(*t, i, variable, seed, out->FirstOf(j));
        const Number slope = t->Slope(i, variable);
        for (int32_t k = 0; dt != nullptr && k < dt->width(); ++k) {
          out->FirstOf(j)[dt->begin + k] += Multiply(slope, {dt->FirstOf(i)[k], 0}, kF64Format).v;
        }
        if (dt == nullptr) continue;
        magnitude += std::fabs(slope.v) * dt->first_magnitude[i];
        error += std::fabs(slope.v) * dt->first_error[i] +
                 slope.e * (dt->first_magnitude[i] + dt->first_error[i]) +
                 0x1p-52 * std::fabs(slope.v) * dt->first_magnitude[i];
      }
    }
    const double additions =
        0x1p-53 * static_cast<double>(call.roots.size() * 2 * out->width() + 64);
    out->first_magnitude[j] = magnitude;
    out->first_error[j] = (error + additions * (magnitude + error)) * (1 + 1e-9);
    if (tangents_.AnySingular() || call.disturbed.obscures) out->first_error[j] = kUnknown;
    // Nothing is known of the next order, and the plan asks for none.
    out->second_error[j] = kUnknown;
  }
  return out;
}

void DualInterpreter::Accumulate(ValueId id, const Jets& gradient, bool create_graph,
                                 bool retained) {
  Jets& grad = values_[id].grad;
  Jets sum = gradient;
  if (grad.value != nullptr && create_graph) {
    sum = algebra_.Apply(Primitive::kAdd, grad, gradient);
  } else if (grad.value != nullptr) {
    sum.value = algebra_.Apply(Primitive::kAdd, Jets{grad.value}, Jets{gradient.value}).value;
    sum.tangents = retained ? nullptr : grad.tangents;  // a new tensor without history
  }
  NoteWatchedGrad(id, *sum.value);
  if (!retained && IsEmptied(id, true)) return Empty(id, *gradient.value);
  if (!retained && IsEmptied(id, false)) values_[id].grad_known = false;
  grad = sum;
}

bool DualInterpreter::IsEmptied(ValueId leaf, bool for_certain) const {
  return std::any_of(emptying_.begin(), emptying_.end(), [&](const auto& hook) {
    const bool may_be_gone = !hook.first.empty() && std::find(removable_.begin(), removable_.end(),
                                                              hook.first) != removable_.end();
    return hook.second == leaf && !(for_certain && may_be_gone);
  });
}

// One that is 0 may be undefined, and then nothing is done.
void DualInterpreter::Empty(ValueId leaf, const Array& gradient) {
  DualValue& value = values_[leaf];
  bool defined = false;
  for (int32_t j = 0; j < gradient.size; ++j) {
    defined |= std::isfinite(gradient.Error(j)) && !(std::fabs(gradient.v[j]) <= gradient.Error(j));
  }
  if (!defined && value.grad.value == nullptr) return;
  value.grad_known = defined;
  if (defined) value.grad = {};
}

}  // namespace twingrad::reference
