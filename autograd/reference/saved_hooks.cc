// Regions of saved-tensor hooks: what nodes pack, and what packing does to the statement.
//
// A node packs operands and results in the order of its op's facts. What it packed is not checked
// for writes later, because the hooks keep copies.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/op_facts.h"
#include "autograd/program/signature.h"
#include "autograd/program/sparse.h"
#include "autograd/reference/call.h"
#include "autograd/reference/custom.h"
#include "autograd/reference/interpreter.h"

namespace twingrad::reference {

using program::Category;
using program::Key;
using program::Opcode;
using program::Saves;
using program::Statement;

namespace {

// The operands and results that a node saves whose operands have gradients as given. The facts
// leave out two conditions.
Saves SavedWith(const Statement& statement, const bool* has_gradient) {
  using namespace program;  // NOLINT(google-build-using-namespace)
  const Signature& signature = SignatureOf(statement.op);
  const Saves saves = SavesOf(statement);
  Saves saved = saves & (kSavesOperands | kSavesResult | kSavesOwn);
  if ((saves & kSavesAForB) != 0 && has_gradient[1]) saved |= kSavesA;
  if ((saves & kSavesBForA) != 0 && has_gradient[0]) saved |= kSavesB;
  if ((saves & kSavesBForB) != 0 && has_gradient[1]) saved |= kSavesB;
  if ((saves & kSavesResultForB) != 0 && has_gradient[1]) saved |= kSavesResult;
  const Opcode op = signature.op;
  const bool adds_product = signature.facts.dependence == Dependence::kAddmm;
  if ((adds_product || op == Opcode::kAddcdiv) && !has_gradient[2]) saved &= ~kSavesB;
  if (adds_product && !has_gradient[1]) saved &= ~kSavesC;
  if (op == Opcode::kAddcdiv && !has_gradient[1] && !has_gradient[2]) saved &= ~kSavesC;
  if (op == Opcode::kLerp && !has_gradient[2]) saved &= ~(kSavesA | kSavesB);
  if (op == Opcode::kLerp && !has_gradient[0] && !has_gradient[1]) saved &= ~kSavesC;
  const bool adds = op == Opcode::kScatterAdd || op == Opcode::kIndexAdd;
  if (adds && !has_gradient[2]) saved &= ~kSavesB;
  return saved;
}

// The statement that gives the indices which an op saves of its own, with the shape that they are
// saved in.
Statement OwnIndices(const Statement& statement) {
  Statement own = statement;
  own.op = program::SignatureOf(statement.op).index_op;
  if (program::SignatureOf(own.op).Find(Key::kKeepdim) == nullptr) return own;
  std::erase_if(own.attributes, [](const auto& a) { return a.key == Key::kKeepdim; });
  own.attributes.push_back({Key::kKeepdim, true});
  return own;
}

// Where each op saves what it likes: whether the derivative is a function of operands and result
// alone, as they were saved, and compares none of them. So for ops that are one primitive, and
// where only indices are saved.
bool DerivativeReadsOperands(const program::Signature& signature) {
  using program::Numbers;
  const Numbers numbers = signature.facts.numbers;
  const bool branches = numbers == Numbers::kClipped || numbers == Numbers::kMagnitude ||
                        numbers == Numbers::kClamped || numbers == Numbers::kGreatest ||
                        numbers == Numbers::kEither || numbers == Numbers::kPower ||
                        numbers == Numbers::kBent;
  const Category category = signature.category;
  // Of det and of products of places PyTorch saves factors and the result too; of xlogy it asks
  // whether the factor is 0.
  return !branches && signature.op != Opcode::kDet && signature.op != Opcode::kScatterReduce &&
         signature.op != Opcode::kXlogy &&
         (category == Category::kElementwise || category == Category::kInPlace ||
          category == Category::kMatmul || category == Category::kRearrange);
}

}  // namespace

void Interpreter::SetSavedHooks(const SavedHooks* hooks) {
  saved_hooks_ = hooks;
  calculus_.SetPacking(hooks == nullptr ? nullptr : &hooks->packing);
}

void Interpreter::BeginSavedHooks(const Statement& statement) {
  SavedHooks hooks;
  const auto action = statement.Get<std::string>(Key::kDo, "record");
  if (action == "scale") hooks.action = HookAction::kScale;
  if (action == "throw") hooks.action = HookAction::kThrow;
  hooks.packing.region = statement_;
  hooks.packing.scales = hooks.action == HookAction::kScale;
  hooks.packing.by = statement.Get<double>(Key::kBy, 1.0);
  SetSavedHooks(arena_.New(hooks));
}

void Interpreter::RunPackHooks(const Statement& statement, absl::Span<const Step> steps,
                               bool also_saves) {
  if (saved_hooks_ == nullptr) return;
  bool saves = also_saves;
  calculus_.SavedOf(steps, &saves);
  if (!saves) return;
  const Category category = program::SignatureOf(statement.op).category;
  if (saved_hooks_->action == HookAction::kThrow) {
    if (category == Category::kInPlace && !rules_.saves_what_is_needed) {
      throw Skipped{"a pack hook throws in the middle of a write"};
    }
    throw Raised{ErrorKind::kUser};
  }
  if (saved_hooks_->action == HookAction::kScale && !rules_.saves_what_is_needed &&
      !DerivativeReadsOperands(program::SignatureOf(statement.op))) {
    throw Skipped{"scaled saved tensors of an op that saves what its engine likes"};
  }
}

void Interpreter::NotePacked(NodeId node, const Statement& statement, const Operands& operands,
                             const Array* result) {
  if (saved_hooks_ == nullptr || !calculus_.nodes()[node].saves) return;
  constexpr int kMost = 5;
  bool has_gradient[kMost] = {};
  for (int k = 0; k < operands.count && k < kMost; ++k) {
    has_gradient[k] = operands.variable[k].node != kNoNode;
  }
  const Saves saved = SavedWith(statement, has_gradient);
  std::vector<const Array*> tensors;
  if ((saved & program::kSavesOwn) != 0) {
    const bool sparse = program::MakesSparse(statement.op) || program::TakesSparse(statement.op);
    tensors.push_back(sparse ? operands.variable[1].data
                             : Lower(OwnIndices(statement), operands).data);
  }
  for (int k = 0; k < operands.count && k < kMost; ++k) {
    if ((saved >> k & 1) != 0) tensors.push_back(operands.variable[k].data);
  }
  if ((saved & program::kSavesResult) != 0) tensors.push_back(result);
  SetPacked(node, tensors);
}

void Interpreter::SetPacked(NodeId node, absl::Span<const Array* const> tensors) {
  auto* kept = arena_.Allocate<const Array*>(tensors.size());
  std::copy(tensors.begin(), tensors.end(), kept);
  Packing packing = saved_hooks_->packing;
  packing.tensors = absl::MakeConstSpan(kept, tensors.size());
  calculus_.nodes()[node].packing = arena_.New(packing);
}

// It saves floating operands or results, to square or exp them.
void Interpreter::RunCustomPackHooks(const Statement& statement) {
  if (saved_hooks_ == nullptr || saved_hooks_->action != HookAction::kThrow) return;
  const CustomAction action = CustomActionOf(statement.Get<std::string>(Key::kDo));
  if (action != CustomAction::kSquare && action != CustomAction::kExp) return;
  for (const program::ValueId operand : statement.operands) {
    if (IsFloating(tensors_[operand].dtype)) throw Raised{ErrorKind::kUser};
  }
}

void Interpreter::NoteCustomPacked(NodeId node, const CustomRule& rule) {
  if (saved_hooks_ == nullptr || !calculus_.nodes()[node].saves) return;
  std::vector<const Array*> tensors;
  for (const Variable& saved : rule.saved) {
    if (saved.defined()) tensors.push_back(saved.data);
  }
  SetPacked(node, tensors);
}

// The log of unpack hooks: what was packed, in its order.
void Call::NoteUnpacked(NodeId id) {
  const Packing* packing = calculus_.nodes()[id].packing;
  if (packing == nullptr || error_.has_value() || !interpreter_.rules().saves_what_is_needed) {
    return;
  }
  TwinResult& result = interpreter_.result();
  for (const Array* tensor : packing->tensors) {
    program::HookRecord& record = result.observation.calls[call_].hooks.emplace_back();
    record.node = states_[id].record;
    record.statement = packing->region;
    record.gradient_defined = true;
    record.gradient = ContentsOf(*tensor);
    result.hook_bounds[call_].push_back(Interpreter::Bounds(*tensor));
  }
}

}  // namespace twingrad::reference
