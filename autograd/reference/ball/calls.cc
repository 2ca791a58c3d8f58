// Calls of the engine: a gradient is the derivative of sum(seeds * roots) along a variable.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/reference/ball/witness.h"

namespace twingrad::reference::ball {

using program::Key;
using program::kNoValue;
using program::Opcode;
using program::Statement;
using program::ValueId;

// By variable that is asked for: the sum of seed times derivative of the root.
struct CallSums {
  struct Sum {
    explicit Sum(Budget& budget) : slope(budget) {}
    Real value;
    double magnitude = 0;
    SeriesSum slope;
  };
  std::vector<int32_t> slots;  // by variable: its sum, or -1
  std::vector<Sum> sums;
  std::vector<Series> slopes;  // of each, when all roots are added
  bool create_graph = false;
  bool of_gradients = false;  // a root is made from gradients with history

  void Add(const Element& root, const Element& seed);
};

namespace {

// How far an engine's gradient may lie from the exact one, as far as later branches go: the last 13
// bits of the sum of all magnitudes, or half of its bits where they are fewer. A number of few bits
// that was computed without rounding is taken to be the engine's.
Real RunOf(const Real& value, double magnitude, DType type) {
  const FloatFormat& format = FormatOf(type);
  if (value.IsPoint() && IsRepresentable(value, format)) return value;
  Real run = value;
  const int half = (format.precision + 1) / 2;
  run.Widen(std::ldexp(magnitude * format.unit, std::min(13, half)) +
            std::ldexp(format.tiny, half));
  return run;
}

}  // namespace

std::vector<ValueId> Witness::Inputs(const Statement& statement) {
  std::vector<ValueId> inputs;
  if (statement.Find(Key::kInputs) != nullptr) {
    for (const ValueId input : statement.Get<std::vector<ValueId>>(Key::kInputs)) {
      // An input that is named twice has two results, but one .grad.
      const bool again = std::find(inputs.begin(), inputs.end(), input) != inputs.end();
      if (statement.op == Opcode::kGrad || !again) inputs.push_back(input);
    }
    return inputs;
  }
  for (size_t v = 0; v < variables_.size(); ++v) {
    const Variable& variable = variables_[v];
    if (variable.defined && (variable.is_leaf || variable.retains_grad)) {
      inputs.push_back(static_cast<ValueId>(v));
    }
  }
  return inputs;
}

// Adds one element of a root, times its seed, to the sum of each variable that is asked for.
void CallSums::Add(const Element& root, const Element& seed) {
  const Series& slope = root.slope;
  if (slope.IsConstant()) return;
  if (slope.order < 1) throw NotApplicable{Refusal::kHighOrder};
  for (const Term& term : slope.terms) {
    const int degree = Degree(term.monomial);
    if (!create_graph && degree > 1) break;
    for (int place = 0; place < degree; ++place) {
      const int32_t variable = VariableAt(term.monomial, place);
      if (place > 0 && VariableAt(term.monomial, place - 1) == variable) continue;
      const int32_t slot = slots[static_cast<size_t>(variable)];
      if (slot < 0) continue;
      Sum& sum = sums[static_cast<size_t>(slot)];
      const Real derivative =
          term.coefficient * Real::OfInteger(Multiplicity(term.monomial, variable));
      const Real product = derivative * seed.value;
      const Monomial rest = Without(term.monomial, variable);
      if (degree == 1) {
        sum.value = sum.value + product;
        sum.magnitude += product.Magnitude();
      } else {
        sum.slope.AddTerm(rest, product);
      }
      if (!create_graph) continue;
      sum.slope.Limit(slope.order - 1);
      if (degree == 1) {
        sum.slope.Add(seed.slope, derivative);
      } else if (!seed.slope.IsConstant()) {
        Series one;
        one.terms.push_back({rest, derivative});
        sum.slope.AddProduct(one, seed.slope);
      }
    }
  }
}

void Witness::AddRoots(const Statement& statement, CallSums* sums) {
  const auto given = statement.Get<std::vector<ValueId>>(Key::kSeeds);
  const bool grad_mode = std::exchange(grad_mode_, true);  // a root's history counts
  for (size_t r = 0; r < statement.operands.size(); ++r) {
    const ValueId root = statement.operands[r], seed = r < given.size() ? given[r] : kNoValue;
    sums->of_gradients |= plan_.level[static_cast<size_t>(root)] > 0;
    const Tensor roots = Read(root);
    Tensor seeds{roots.type, roots.shape, {}};
    if (seed != kNoValue) {
      seeds = Read(seed);
    } else {
      seeds.elements.assign(roots.elements.size(), math_.Point(1));
    }
    if (seeds.elements.size() != roots.elements.size() || !IsFloating(seeds.type)) {
      throw NotApplicable{Refusal::kForm};
    }
    for (size_t i = 0; i < roots.elements.size(); ++i) {
      sums->Add(*roots.elements[i], *seeds.elements[i]);
    }
  }
  grad_mode_ = grad_mode;
}

Refs Witness::GradientOf(ValueId input, const CallSums& sums, bool* known) {
  const Variable& variable = At(input);
  const auto count = static_cast<size_t>(CountOf(variable.layout.shape));
  *known =
      !IsFloating(variable.type) ||
      (variable.first_variable >= 0 &&
       !(sums.of_gradients && plan_.saves_result[static_cast<size_t>(input)] && !variable.is_leaf));
  if (!IsFloating(variable.type)) return Refs(count, math_.Zero(variable.type));
  if (!*known) return Refs(count, math_.UnknownPoint());
  Refs gradient;
  for (size_t i = 0; i < count; ++i) {
    const auto slot =
        static_cast<size_t>(sums.slots[static_cast<size_t>(variable.first_variable) + i]);
    const CallSums::Sum& sum = sums.sums[slot];
    gradient.push_back(math_.Keep({sum.value, RunOf(sum.value, sum.magnitude, variable.type),
                                   sums.create_graph ? sums.slopes[slot] : Series()}));
  }
  return gradient;
}

// Differentiates the roots with respect to the inputs.
void Witness::Differentiate(const Statement& statement, const std::vector<ValueId>& inputs,
                            CallSums* all) {
  CallSums& sums = *all;
  sums.create_graph = statement.Get<bool>(Key::kCreateGraph);
  // Before variables are counted: a view that is brought up to date may have new ones.
  for (const ValueId input : inputs) Renew(input);
  for (const ValueId root : statement.operands) Renew(root);
  for (const ValueId seed : statement.Get<std::vector<ValueId>>(Key::kSeeds)) {
    if (seed != kNoValue) Renew(seed);
  }
  sums.slots.assign(static_cast<size_t>(num_variables_), -1);
  for (const ValueId input : inputs) {
    const Variable& variable = At(input);
    if (variable.first_variable < 0) continue;
    const auto first = static_cast<size_t>(variable.first_variable);
    for (size_t i = 0; i < static_cast<size_t>(CountOf(variable.layout.shape)); ++i) {
      if (sums.slots[first + i] >= 0) continue;
      sums.slots[first + i] = static_cast<int32_t>(sums.sums.size());
      sums.sums.emplace_back(math_.budget());
    }
  }
  AddRoots(statement, all);
  for (CallSums::Sum& sum : sums.sums) {
    sums.slopes.push_back(sums.create_graph ? sum.slope.Take() : Series());
  }
}

void Witness::Call(const Statement& statement) {
  const std::vector<ValueId> inputs = Inputs(statement);
  const bool is_grad = statement.op == Opcode::kGrad;
  if (statement.Find(Key::kInputs) == nullptr) ForgetStaleViews();
  CallSums sums;
  Differentiate(statement, inputs, &sums);
  for (size_t i = 0; i < inputs.size(); ++i) {
    bool known = false;
    const Refs gradient = GradientOf(inputs[i], sums, &known);
    if (!known && sums.create_graph) throw NotApplicable{Refusal::kUnknownGradient};
    if (is_grad) {
      const Variable& variable = At(inputs[i]);
      Define(statement.results[i], {variable.type, variable.layout.shape, gradient});
    } else {
      Accumulate(inputs[i], gradient, sums.create_graph);
    }
  }
  if (!is_grad && statement.Find(Key::kInputs) == nullptr) return;
  for (size_t v = 0; v < variables_.size(); ++v) {
    Variable& variable = variables_[v];
    const bool chosen =
        std::find(inputs.begin(), inputs.end(), static_cast<ValueId>(v)) != inputs.end();
    if (chosen && !is_grad) {
      variable.retains_grad |= !variable.is_leaf;
      variable.retained_version = VersionOf(variable);
    } else if (variable.retains_grad) {
      variable.grad_known = false;  // it hangs on which nodes the call runs
    }
  }
}

// What a written view retains is of its old contents until its node is made anew, which is a choice
// of the graph and no number.
void Witness::ForgetStaleViews() {
  for (Variable& variable : variables_) {
    if (!variable.retains_grad || !variable.is_view) continue;
    if (VersionOf(variable) != variable.retained_version) variable.grad_known = false;
  }
}

void Witness::Accumulate(ValueId value, const Refs& gradient, bool create_graph) {
  Variable& variable = At(value);
  if (plan_.loses_grad[static_cast<size_t>(value)]) variable.grad_known = false;
  if (!std::exchange(variable.has_grad, true)) {
    variable.grad = gradient;
    return;
  }
  for (size_t i = 0; i < gradient.size(); ++i) {
    Ref& old = variable.grad[i];
    if (create_graph) {
      old = math_.Add(old, gradient[i], variable.type);
      continue;
    }
    // A leaf's is added to where it lies, and keeps its history; another is made anew.
    Ref sum = math_.Add(math_.WithoutSlope(old), math_.WithoutSlope(gradient[i]), variable.type);
    old = variable.is_leaf ? math_.WithSlope(sum, old) : sum;
  }
}

}  // namespace twingrad::reference::ball
