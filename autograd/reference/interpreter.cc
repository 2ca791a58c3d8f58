#include "autograd/reference/interpreter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "autograd/program/leaf_data.h"
#include "autograd/program/signature.h"
#include "autograd/reference/call.h"

namespace twingrad::reference {

using program::Category;
using program::Key;
using program::kNoValue;
using program::Opcode;
using program::Statement;
using program::ValueId;

Interpreter::Interpreter(const program::Program& program, Dialect dialect, bool any_order,
                         TwinResult& result)
    : program_(program),
      rules_(RulesOf(dialect)),
      any_order_(any_order),
      result_(result),
      calculus_(arena_, rules_),
      tensors_(program.names.size()) {
  storages_.reserve(program.names.size());
}

void Interpreter::Run() {
  const auto count = static_cast<int32_t>(program_.statements.size());
  for (int32_t s = 0; s < count; ++s) {
    try {
      RunStatement(s);
    } catch (const Raised& raised) {
      calculus_.EndCall();
      if (try_regions_.empty()) {
        result_.observation.error = program::ErrorRecord{raised.error, s, ""};
        if (result_.legal_errors.empty()) result_.legal_errors = {*result_.observation.error};
        break;
      }
      // The rest of the innermost try region is left out.
      const Region& region = regions_[try_regions_.back()];
      s = region.end;
      grad_mode_ = region.grad_mode_before;
      regions_.resize(try_regions_.back());
      try_regions_.pop_back();
      result_.legal_errors.clear();
      result_.grad_alternatives.clear();
    }
  }
  Finish();
}

void Interpreter::RunStatement(int32_t index) {
  statement_ = index;
  const Statement& statement = program_.statements[index];
  if (statement.op == Opcode::kBackward || statement.op == Opcode::kGrad) {
    Call(*this, statement, index).Run();
    return;
  }
  if (Execute(statement) || ExecuteGradient(statement)) return;
  throw Skipped{"the twin does not run this kind of statement"};
}

bool Interpreter::Execute(const Statement& statement) {
  switch (program::SignatureOf(statement.op).category) {
    case Category::kLeaf:
      Leaf(statement);
      return true;
    case Category::kElementwise:
    case Category::kReduction:
    case Category::kMatmul:
    case Category::kRearrange:
    case Category::kScan:
    case Category::kLoss:
      Compute(statement);
      return true;
    case Category::kView:
      View(statement);
      return true;
    case Category::kCopy:
      statement.op == Opcode::kDetach ? Detach(statement) : Compute(statement);
      return true;
    case Category::kInPlace:
      InPlace(statement);
      return true;
    case Category::kExpect:
      return true;
    default:
      return false;
  }
}

bool Interpreter::ExecuteGradient(const Statement& statement) {
  switch (statement.op) {
    case Opcode::kRetainGrad:
      if (!tensors_[statement.operands[0]].defined) throw Raised{ErrorKind::kUndefined};
      RetainGrad(statement.operands[0]);
      return true;
    case Opcode::kReadGrad:
      ReadGrad(statement);
      return true;
    case Opcode::kZeroGrad:
      if (!tensors_[statement.operands[0]].defined) throw Raised{ErrorKind::kUndefined};
      tensors_[statement.operands[0]].grad = {};
      return true;
    case Opcode::kHook:
    case Opcode::kPreHook:
    case Opcode::kPostHook:
    case Opcode::kAccumulateHook:
      AddHook(statement);
      return true;
    case Opcode::kRemoveHook:
      RemoveHook(statement);
      return true;
    case Opcode::kBegin:
      Begin(statement);
      return true;
    case Opcode::kEnd:
      End();
      return true;
    default:
      return false;
  }
}

void Interpreter::Leaf(const Statement& statement) {
  const auto& type = std::get<program::TensorType>(*statement.Find(Key::kType));
  const Shape* shape = &type.shape;  // lives as long as the Program
  const auto device =
      static_cast<program::DeviceIndex>(statement.Get<int64_t>(Key::kDevice, program::kCpu));
  const Array* content = ArrayFromBits(arena_, type.dtype, shape, program::LeafData(statement));
  Tensor& leaf = DefineFresh(statement.results[0], content, device);
  leaf.requires_grad = statement.Get<bool>(Key::kGrad);
}

const Shape* Interpreter::Keep(const Shape& shape) { return &shapes_.emplace_back(shape); }

Tensor& Interpreter::Define(ValueId value, DType dtype, program::DeviceIndex device,
                            const Shape* shape) {
  Tensor& tensor = tensors_[value];
  tensor.defined = true;
  tensor.dtype = dtype;
  tensor.device = device;
  tensor.shape = shape;
  tensor.statement = statement_;
  return tensor;
}

Tensor& Interpreter::DefineFresh(ValueId value, const Array* content, program::DeviceIndex device) {
  Tensor& tensor = Define(value, content->dtype, device, content->shape);
  tensor.storage = static_cast<int32_t>(storages_.size());
  tensor.map = {nullptr, content->size};
  storages_.push_back({content, 0});
  return tensor;
}

Variable Interpreter::Read(ValueId value) {
  const Tensor& tensor = tensors_[value];
  if (!tensor.defined) throw Raised{ErrorKind::kUndefined};
  Variable variable;
  const Storage& storage = storages_[tensor.storage];
  PrimitiveArguments arguments;
  arguments.map = tensor.map;
  arguments.shape = tensor.shape;
  const Array* in[3] = {storage.content, nullptr, nullptr};
  variable.data = Evaluate(arena_, Primitive::kGather, in, arguments, false);
  variable.storage = tensor.storage;
  variable.version = storage.version;
  return variable;
}

void Interpreter::DefineGradient(ValueId value, const Variable& gradient, ValueId input) {
  if (!gradient.defined()) return;
  const Tensor& like = tensors_[input];
  Tensor& tensor = DefineFresh(value, Reshaped(arena_, gradient.data, like.shape), like.device);
  tensor.made_by_call = true;
  tensor.requires_grad = gradient.tracked;
  tensor.node = gradient.tracked ? gradient.node : kNoNode;
}

void Interpreter::ReadGrad(const Statement& statement) {
  const ValueId of = statement.operands[0];
  if (!tensors_[of].defined) throw Raised{ErrorKind::kUndefined};
  const Variable grad = tensors_[of].grad;
  if (!grad.defined()) return;
  Tensor& copy = DefineFresh(statement.results[0], grad.data, tensors_[of].device);
  if (!grad_mode_ || !grad.tracked) return;
  calculus_.BeginStatement();
  Variable operand = grad;
  operand.operand = 0;
  calculus_.Gather(operand, copy.map, copy.shape);
  const NodeId edge = grad.node;
  copy.node = AddStatementNode(program::NodeRole::kStatement, {&edge, 1}, calculus_.TakeSteps(),
                               copy.device);
  copy.requires_grad = true;
}

void Interpreter::RetainGrad(ValueId value) {
  if (!RequiresGrad(value)) throw Raised{ErrorKind::kNoGraph};
  Tensor& tensor = tensors_[value];
  if (rules_.views_without_node_are_leaves && LacksNode(tensor)) return;
  const NodeId node = GradientEdge(value);
  if (tensor.node == kNoNode || tensor.retains_grad) return;  // a leaf keeps it anyway
  if (tensor.made_by_call) throw Skipped{"a gradient made by a call retains its gradient"};
  tensor.retains_grad = true;
  MakeHooks(node).retained.push_back(value);
}

void Interpreter::AddHook(const Statement& statement) {
  const ValueId value = statement.operands[0];
  const auto action = statement.Get<std::string>(Key::kDo);
  Hook hook{statement_, HookAction::kRecord, statement.Get<double>(Key::kBy, 1.0), false};
  if (action == "scale") {
    hook.action = HookAction::kScale;
  } else if (action == "undefined") {
    hook.action = HookAction::kUndefined;
  } else if (action == "throw") {
    hook.action = HookAction::kThrow;
  } else if (action == "wrong_shape" || action == "wrong_dtype") {
    hook.action = HookAction::kMisfit;
  } else if (action != "record") {
    throw Skipped{"a hook with do=" + action};
  }
  Tensor& tensor = tensors_[value];
  if (!tensor.defined) throw Raised{ErrorKind::kUndefined};
  if (GradientEdge(value) == kNoNode) throw Raised{ErrorKind::kNoGraph};
  if (statement.op == Opcode::kAccumulateHook && GradientEdge(value) != tensor.accumulator) {
    throw Raised{ErrorKind::kInvalidArgument};
  }
  if (tensor.made_by_call) throw Skipped{"a hook on a gradient made by a call"};
  NodeHooks& hooks = MakeHooks(GradientEdge(value));
  const auto index = static_cast<int32_t>(hooks_.size());
  hooks_.push_back(hook);
  (statement.op == Opcode::kHook       ? hooks.tensor
   : statement.op == Opcode::kPreHook  ? hooks.pre
   : statement.op == Opcode::kPostHook ? hooks.post
                                       : hooks.accumulate)
      .push_back(index);
  if (const auto* id = statement.Find(Key::kId)) {
    handles_.emplace_back(std::get<std::string>(*id), index);
  }
}

void Interpreter::RemoveHook(const Statement& statement) {
  const auto id = statement.Get<std::string>(Key::kId);
  for (const auto& [name, index] : handles_) {
    if (name == id) hooks_[index].removed = true;
  }
}

void Interpreter::Begin(const Statement& statement) {
  const auto kind = statement.Get<std::string>(Key::kKind);
  if (kind != "no_grad" && kind != "try") throw Skipped{"a region of kind=" + kind};
  const bool is_try = kind == "try";
  if (is_try) try_regions_.push_back(static_cast<int32_t>(regions_.size()));
  regions_.push_back({grad_mode_, is_try, EndOf(statement_)});
  if (kind == "no_grad") grad_mode_ = false;
}

void Interpreter::End() {
  grad_mode_ = regions_.back().grad_mode_before;
  if (regions_.back().is_try) try_regions_.pop_back();
  regions_.pop_back();
}

// The statement that ends the region which statement `begin` opens.
int32_t Interpreter::EndOf(int32_t begin) const {
  int depth = 0;
  for (auto s = static_cast<size_t>(begin); s < program_.statements.size(); ++s) {
    if (program_.statements[s].op == Opcode::kBegin) ++depth;
    if (program_.statements[s].op == Opcode::kEnd && --depth == 0) return static_cast<int32_t>(s);
  }
  return static_cast<int32_t>(program_.statements.size());
}

// The engine's number and the twin's both lie within the bound of the exact one. Where they may
// differ by more than a number's own size (or 1/8), comparing them would mean nothing.
Judged Interpreter::Bounds(const Array& array) {
  Judged judged;
  judged.bound.assign(array.size, 0);
  for (int32_t i = 0; i < array.size && array.e != nullptr; ++i) {
    double bound = 2 * array.e[i] * (1 + 1e-9);
    if (IsFloating(array.dtype) && bound > std::max(std::fabs(array.v[i]), 1.0) / 8) {
      bound = kUnknown;
    }
    judged.bound[i] = bound;
  }
  return judged;
}

void Interpreter::Finish() {
  const size_t count = tensors_.size();
  result_.observation.values.resize(count);
  result_.value_bounds.resize(count);
  result_.grad_bounds.resize(count);
  for (size_t value = 0; value < count; ++value) {
    const Tensor& tensor = tensors_[value];
    if (!tensor.defined) continue;
    program::ValueRecord& record = result_.observation.values[value];
    const Array* content = Read(static_cast<ValueId>(value)).data;
    record.defined = true;
    record.requires_grad = RequiresGrad(static_cast<ValueId>(value));
    record.data = ContentsOf(*content);
    record.version = storages_[tensor.storage].version;
    result_.value_bounds[value] = Bounds(*content);
    if (!tensor.grad.defined()) continue;
    record.grad_defined = true;
    record.grad = ContentsOf(*tensor.grad.data);
    result_.grad_bounds[value] = Bounds(*tensor.grad.data);
  }
}

}  // namespace twingrad::reference
