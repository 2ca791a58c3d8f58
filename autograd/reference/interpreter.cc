#include "autograd/reference/interpreter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"
#include "autograd/reference/call.h"

namespace twingrad::reference {

using program::Category;
using program::Key;
using program::kNoValue;
using program::Opcode;
using program::RegionKind;
using program::Statement;
using program::ValueId;

Interpreter::Interpreter(const program::Program& program, const DialectRules& rules, bool any_order,
                         TwinResult& result)
    : program_(program),
      rules_(rules),
      any_order_(any_order),
      result_(result),
      calculus_(arena_, rules_),
      tensors_(program.names.size()) {
  storages_.reserve(program.names.size());
  result_.observation.calls.reserve(4);  // most have no more
  result_.hook_bounds.reserve(4);
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
      const Region region = regions_[try_regions_.back()];
      result_.observation.survived.push_back({raised.error, s, ""});
      s = region.end;
      modes_ = region.modes_before;
      SetSavedHooks(region.saved_hooks_before);
      regions_.resize(try_regions_.back());
      try_regions_.pop_back();
      result_.legal_errors.clear();
      result_.grad_alternatives.clear();
      if (region.is_section) EndSection(region.end);
    }
  }
  Finish();
}

void Interpreter::RunStatement(int32_t index) {
  statement_ = index;
  const Statement& statement = program_.statements[index];
  switch (program::SignatureOf(statement.op).category) {
    case Category::kLeaf:
      return Leaf(statement);
    case Category::kElementwise:
    case Category::kReduction:
    case Category::kMatmul:
    case Category::kRearrange:
    case Category::kScan:
    case Category::kNorm:
    case Category::kLoss:
      return Compute(statement);
    case Category::kView:
      return View(statement);
    case Category::kCopy:
      return statement.op == Opcode::kDetach ? Detach(statement) : Compute(statement);
    case Category::kInPlace:
      return InPlace(statement);
    case Category::kGradient:
      return Gradient(statement);
    case Category::kHook:
      if (statement.op != Opcode::kRemoveHook) return AddHook(statement);
      return RemoveHook(std::get<std::string>(*statement.Find(Key::kId)));
    case Category::kCall:
      return Call(*this, statement, index).Run();
    case Category::kRegion:
      return statement.op == Opcode::kBegin ? Begin(statement) : End();
    case Category::kExpect:
      return;
    case Category::kCustom:
      return statement.op == Opcode::kCustom ? Custom(statement) : CustomInPlace(statement);
    case Category::kStream:  // when work is done, and not what
      return;
  }
}

Tensor& Interpreter::Defined(ValueId value) {
  if (!tensors_[value].defined) throw Raised{ErrorKind::kUndefined};
  return tensors_[value];
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
  const Tensor& tensor = Defined(value);
  const Storage& storage = storages_[tensor.storage];
  Variable variable =
      calculus_.Constant(Gathered(arena_, storage.content, tensor.map, tensor.shape));
  variable.storage = tensor.storage;
  variable.version = storage.version;
  if (IsUnrenewed(tensor)) variable.unrenewed_view = value;
  return variable;
}

void Interpreter::Begin(const Statement& statement) {
  const RegionKind kind = RegionKindOf(statement);
  const bool is_section = kind == RegionKind::kThread;
  const bool is_try = kind == RegionKind::kTry || is_section;
  if (kind != RegionKind::kNoGrad && kind != RegionKind::kAnomaly &&
      kind != RegionKind::kSavedTensorHooks && !is_try) {
    throw Skipped{absl::StrCat("a region of kind=", RegionKindName(kind))};
  }
  if (is_try) try_regions_.push_back(static_cast<int32_t>(regions_.size()));
  regions_.push_back({modes_, is_try, is_section, EndOfRegion(program_, statement_), saved_hooks_});
  if (is_section) BeginSection();
  if (kind == RegionKind::kNoGrad) modes_.grad_mode = false;
  if (kind == RegionKind::kAnomaly) modes_.anomaly = true;
  if (kind == RegionKind::kSavedTensorHooks) BeginSavedHooks(statement);
}

void Interpreter::End() {
  modes_ = regions_.back().modes_before;
  SetSavedHooks(regions_.back().saved_hooks_before);
  if (regions_.back().is_try) try_regions_.pop_back();
  const bool is_section = regions_.back().is_section;
  regions_.pop_back();
  if (is_section) EndSection(statement_);
}

// The engine's number and the twin's both lie within the bound of the exact one.
Judged Interpreter::Bounds(const Array& array) {
  Judged judged;
  if (array.e == nullptr) return judged;
  judged.bound.resize(array.size);
  for (int32_t i = 0; i < array.size; ++i) judged.bound[i] = 2 * array.Error(i) * (1 + 1e-9);
  return judged;
}

// Nested calls stand as observation.h says, whatever made them first.
void Interpreter::OrderCalls() {
  const std::vector<int32_t> order = program::CallOrder(result_.observation.calls);
  if (order.empty()) return;
  TwinResult ordered;
  for (const int32_t call : order) {
    ordered.call_predicted.push_back(result_.call_predicted[call]);
    ordered.call_in_any_order.push_back(result_.call_in_any_order[call]);
    ordered.hook_bounds.push_back(std::move(result_.hook_bounds[call]));
  }
  result_.call_predicted = std::move(ordered.call_predicted);
  result_.call_in_any_order = std::move(ordered.call_in_any_order);
  result_.hook_bounds = std::move(ordered.hook_bounds);
  program::OrderCalls(result_.observation.calls);
}

bool Interpreter::IsContested(NodeId node) {
  if (group_.has_value() && group_->IsRegenerated(node)) return true;
  const auto& contested = contested_nodes_;
  return std::find(contested.begin(), contested.end(), calculus_.nodes()[node].name) !=
         contested.end();
}

// Whether the hook adds or removes another, and it or the other stands on a node that create_graph
// made: whether the other still fires in this call depends on their order. Or runs backward where
// the call `releases` the graph: whether it finds it whole does.
bool Interpreter::ActsAmongMadeNodes(const Hook& hook, bool releases) {
  const auto is_made = [this](NodeId node) {
    return node != kNoNode && calculus_.nodes()[node].name.role == program::NodeRole::kBackward;
  };
  if (hook.action == HookAction::kRegister || (hook.action == HookAction::kBackward && releases)) {
    return is_made(hook.node) || is_made(tensors_[hook.target].node);
  }
  if (hook.action != HookAction::kRemove) return false;
  return is_made(hook.node) || std::any_of(handles_.begin(), handles_.end(), [&](const auto& h) {
           return h.first == hook.target_id && is_made(hooks_[h.second]->node);
         });
}

// A graph that create_graph made is not predicted, and may lead to any contested node.
void Interpreter::NoteUnorderedCalls() {
  const std::vector<program::CallRecord>& calls = result_.observation.calls;
  for (size_t i = 0; i < calls.size(); ++i) {
    const auto& nodes = calls[i].nodes;
    const bool reaches = std::any_of(nodes.begin(), nodes.end(), [this](const auto& node) {
      return std::find(contested_nodes_.begin(), contested_nodes_.end(), node.name) !=
             contested_nodes_.end();
    });
    const bool contested = !contested_nodes_.empty() && (reaches || !result_.call_predicted[i]);
    const bool own_order = result_.call_in_any_order[i] && !result_.call_predicted[i];
    if (!contested && !own_order) continue;
    result_.call_in_any_order[i] = true;
    const auto acts_on_order = [this, contested,
                                releases = !calls[i].keep_graph](const Hook& hook) {
      return contested ? hook.Acts() : ActsAmongMadeNodes(hook, releases);
    };
    const bool acts = std::any_of(calls[i].hooks.begin(), calls[i].hooks.end(), [&](auto& seen) {
      return std::any_of(hooks_.begin(), hooks_.end(), [&](const auto& hook) {
        return hook->statement == seen.statement && acts_on_order(*hook);
      });
    });
    if (acts) throw Skipped{"when hooks act depends on the order of nodes, which is not known"};
  }
}

void Interpreter::Finish() {
  OrderCalls();
  NoteUnorderedCalls();
  const size_t count = tensors_.size();
  result_.observation.values.resize(count);
  result_.value_bounds.resize(count);
  result_.grad_bounds.resize(count);
  result_.grad_in_any_order.resize(count);
  for (GradAlternative& left : left_by_failures_) {
    if (tensors_[left.value].grad_is_uncertain) {
      result_.grad_alternatives.push_back(std::move(left));
    }
  }
  std::vector<ValueId> first_users(storages_.size(), program::kNoValue);
  for (size_t value = 0; value < count; ++value) {
    const Tensor& tensor = tensors_[value];
    if (!tensor.defined) continue;
    program::ValueRecord& record = result_.observation.values[value];
    const Storage& storage = storages_[tensor.storage];
    const Array* content = Gathered(arena_, storage.content, tensor.map, tensor.shape);
    record.defined = true;
    record.requires_grad = RequiresGrad(static_cast<ValueId>(value));
    ShowContents(*content, record.data);
    record.version = storage.version;
    ValueId& first = first_users[tensor.storage];
    if (first == program::kNoValue) first = static_cast<ValueId>(value);
    record.storage = first;
    if (content->e != nullptr) result_.value_bounds[value] = Bounds(*content);
    if (!tensor.grad.defined()) continue;
    result_.grad_in_any_order[value] = tensor.grad_in_any_order;
    record.grad_defined = true;
    ShowContents(*tensor.grad.data, record.grad);
    result_.grad_bounds[value] = Bounds(*tensor.grad.data);
  }
}

}  // namespace twingrad::reference
