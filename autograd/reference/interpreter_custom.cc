// The statement `custom`: copies, squares or exponentials, and one node with a result each.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
                                       "square",      "exp",         "backward",    "warn"};

CustomRule RuleOf(const Statement& statement, int32_t at) {
  CustomRule rule;
  rule.statement = at;
  rule.action = CustomActionOf(statement.Get<std::string>(Key::kDo));
  rule.by = statement.Get<double>(Key::kBy, 1.0);
  rule.keeps_undefined = statement.Get<bool>(Key::kKeepUndefined);
  rule.acting.statement = at;
  if (rule.action == CustomAction::kWarn) rule.acting.action = HookAction::kWarn;
  if (rule.action == CustomAction::kBackward) {
    rule.acting.action = HookAction::kBackward;
    rule.acting.target = std::get<std::vector<ValueId>>(*statement.Find(Key::kTarget))[0];
  }
  return rule;
}

}  // namespace

CustomAction CustomActionOf(std::string_view word) {
  return static_cast<CustomAction>(std::find(std::begin(kWords), std::end(kWords), word) -
                                   std::begin(kWords));
}

void Interpreter::Custom(const Statement& statement) {
  const CustomAction action = CustomActionOf(statement.Get<std::string>(Key::kDo));
  const auto marked = statement.Get<std::vector<int64_t>>(Key::kNonDifferentiable);
  const uint32_t differentiable = program::SignatureOf(statement.op).differentiable;
  Operands operands = TakeOperands(statement, differentiable);
  for (int k = 0; k < operands.count && operands.records; ++k) {
    operands.variable[k].node = GradientEdge(statement.operands[k]);
  }
  if (operands.records) RunCustomPackHooks(statement);
  auto* results = arena_.Allocate<Variable>(operands.count);
  auto* saved = arena_.Allocate<Variable>(operands.count);
  program::DeviceIndex device = program::kCpu;
  for (int k = 0; k < operands.count; ++k) {
    Variable& operand = operands.variable[k];
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
    const bool differentiable_result =
        floating && std::find(marked.begin(), marked.end(), k) == marked.end();
    result.requires_grad = operands.records && differentiable_result;
    if (differentiable_result && device == program::kCpu) device = own;
    new (&results[k]) Variable(out);
    results[k].storage = result.storage;
    results[k].tracked = result.requires_grad;
    new (&saved[k]) Variable();
    if (floating && action == CustomAction::kSquare) saved[k] = operand;
    if (floating && action == CustomAction::kExp) saved[k] = results[k];
  }
  if (!operands.records) return;

  CustomRule rule = RuleOf(statement, statement_);
  if (rule.acting.Acts()) NoteActing();
  const auto count = static_cast<size_t>(operands.count);
  const NodeId node =
      AddStatementNode(NodeRole::kStatement, EdgesOf(operands, differentiable), {}, device);
  calculus_.MakePorts(node, operands.count);
  for (int k = 0; k < operands.count; ++k) {
    if (!results[k].tracked) continue;
    tensors_[statement.results[k]].node = results[k].node = node + k;
    if (saved[k].defined() && action == CustomAction::kExp) saved[k].node = node + k;
  }
  for (size_t k = 0; k < count; ++k) {
    if (!saved[k].defined()) continue;
    calculus_.nodes()[node].saves = true;
    calculus_.AlsoSave(node, saved[k]);
  }
  rule.results = absl::MakeConstSpan(results, count);
  rule.saved = absl::MakeConstSpan(saved, count);
  NoteCustomPacked(node, rule);
  calculus_.nodes()[node].custom = arena_.New(rule);
}

// The function writes without grad mode; only then is the write held against the rules, so that
// what it wrote stays where it is refused.
void Interpreter::CustomInPlace(const Statement& statement) {
  const ValueId self = statement.operands[0];
  Operands operands = TakeOperands(statement, 1);
  const NodeId edge = operands.records ? GradientEdge(self) : kNoNode;
  const bool grad_mode = std::exchange(modes_.grad_mode, false);
  CheckInPlace(self, /*would_record=*/false);
  modes_.grad_mode = grad_mode;
  CustomRule rule = RuleOf(statement, statement_);
  Variable out = calculus_.Constant(operands.variable[0].data);
  if (IsFloating(out.data->dtype) && rule.action == CustomAction::kExp) {
    out = calculus_.Apply(Primitive::kExp, out);
  }
  Tensor& tensor = tensors_[self];
  const Storage& storage = Overwrite(tensor, out.data);
  if (!operands.records) return;
  RunCustomPackHooks(statement);
  const bool through_view = tensor.is_view();
  if (through_view && rules_.written_views_are_renewed) {
    throw Skipped{"a custom function writes a view with a history"};
  }
  CheckInPlace(self, /*would_record=*/true);
  tensor.ReplaceGrad({});
  const ValueId written = through_view ? tensor.base : self;
  const NodeId old = through_view ? GradientEdge(written) : edge;
  const NodeId node = AddStatementNode(through_view ? NodeRole::kCopySlices : NodeRole::kStatement,
                                       {&old, 1}, {}, tensor.device);
  if (through_view) {
    Node& copy_slices = calculus_.nodes()[node];
    copy_slices.base_like = LikeBase(self);
    copy_slices.slice = tensor.base_map;
    copy_slices.slice_shape = tensor.shape;
  }
  auto* result = arena_.New(out);
  result->storage = tensor.storage;
  result->version = storage.version;
  result->tracked = true;
  result->node = node;
  Variable saved;
  if (rule.action == CustomAction::kExp) {
    saved = *result;
    calculus_.nodes()[node].saves = true;
    calculus_.AlsoSave(node, saved);
  }
  rule.results = {result, 1};
  rule.saved = {arena_.New(saved), 1};
  NoteCustomPacked(node, rule);
  calculus_.nodes()[node].custom = arena_.New(rule);
  Tensor& target = tensors_[written];
  MoveRetained(written, node);
  target.node = node;
  target.requires_grad = true;
}

}  // namespace twingrad::reference
