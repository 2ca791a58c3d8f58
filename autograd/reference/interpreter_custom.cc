// The statement `custom`: copies, squares or exponentials, and one node with a result each.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <new>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "autograd/program/signature.h"
#include "autograd/reference/custom.h"
#include "autograd/reference/interpreter.h"

namespace twingrad::reference {

using program::Key;
using program::NodeRole;
using program::Statement;
using program::ValueId;

namespace {

// In the order of CustomAction.
constexpr std::string_view kWords[] = {"pass",        "scale",       "undefined",   "throw",
                                       "wrong_shape", "wrong_dtype", "wrong_count", "nan",
                                       "square",      "exp",         "backward"};

}  // namespace

CustomAction CustomActionOf(std::string_view word) {
  return static_cast<CustomAction>(std::find(std::begin(kWords), std::end(kWords), word) -
                                   std::begin(kWords));
}

void Interpreter::Custom(const Statement& statement) {
  const CustomAction action = CustomActionOf(statement.Get<std::string>(Key::kDo));
  if (action == CustomAction::kBackward) throw Skipped{"a custom function with do=backward"};
  const uint32_t differentiable = program::SignatureOf(statement.op).differentiable;
  Operands operands = TakeOperands(statement, differentiable);
  auto* results = arena_.Allocate<Variable>(operands.count);
  auto* saved = arena_.Allocate<Variable>(operands.count);
  program::DeviceIndex device = program::kCpu;
  for (int k = 0; k < operands.count; ++k) {
    Variable& operand = operands.variable[k];
    if (operands.records) operand.node = GradientEdge(statement.operands[k]);
    operand.tracked = operand.node != kNoNode;
    const Variable in = calculus_.Constant(operand.data);
    const bool floating = IsFloating(in.data->dtype);
    Variable out = in;
    if (floating && action == CustomAction::kSquare) {
      out = calculus_.Apply(Primitive::kMultiply, in, in);
    } else if (floating && action == CustomAction::kExp) {
      out = calculus_.Apply(Primitive::kExp, in);
    }
    const program::DeviceIndex own = tensors_[statement.operands[k]].device;
    Tensor& result = DefineFresh(statement.results[k], out.data, own);
    result.requires_grad = operands.records && floating;
    if (floating && device == program::kCpu) device = own;
    new (&results[k]) Variable(out);
    results[k].storage = result.storage;
    results[k].tracked = result.requires_grad;
    new (&saved[k]) Variable();
    if (floating && action == CustomAction::kSquare) saved[k] = operand;
    if (floating && action == CustomAction::kExp) saved[k] = results[k];
  }
  if (!operands.records) return;

  CustomRule rule;
  rule.statement = statement_;
  rule.action = action;
  rule.by = statement.Get<double>(Key::kBy, 1.0);
  const auto count = static_cast<size_t>(operands.count);
  const NodeId node =
      AddStatementNode(NodeRole::kStatement, EdgesOf(operands, differentiable), {}, device);
  calculus_.MakePorts(node, operands.count);
  for (int k = 0; k < operands.count; ++k) {
    if (!results[k].tracked) continue;
    tensors_[statement.results[k]].node = results[k].node = node + k;
    if (action == CustomAction::kExp) saved[k].node = node + k;
  }
  for (size_t k = 0; k < count; ++k) {
    if (!saved[k].defined()) continue;
    calculus_.nodes()[node].saves = true;
    calculus_.AlsoSave(node, saved[k]);
  }
  rule.results = absl::MakeConstSpan(results, count);
  rule.saved = absl::MakeConstSpan(saved, count);
  calculus_.nodes()[node].custom = arena_.New(rule);
}

}  // namespace twingrad::reference
