#include "proptests/generators/draft.h"

#include <algorithm>
#include <string>
#include <utility>

#include "autograd/base/float_format.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/parts.h"
#include "autograd/program/signature.h"
#include "autograd/program/sparse.h"
#include "proptests/generators/leaf.h"

namespace twingrad::generators {
namespace {

namespace program = twingrad::program;
using twingrad::program::Category;
using twingrad::program::Numbers;
using twingrad::program::Signature;
using twingrad::program::SignatureOf;

// Which derivatives depend on something that requires grad, and on what: bit i of the first is edge
// i; bit i of the second is operand i.
struct Dependence {
  uint8_t nonlinear = 0;
  uint8_t factors = 0;
};
Dependence DependenceOf(const Signature& signature, const bool* requires_grad) {
  const uint8_t a = requires_grad[0] ? 1 : 0;
  const uint8_t b = requires_grad[1] ? 2 : 0;
  const uint8_t c = requires_grad[2] ? 4 : 0;
  const auto both = static_cast<uint8_t>(a | b);
  switch (signature.facts.dependence) {
    case program::Dependence::kLinear:
      return {};
    case program::Dependence::kBilinear:
      return {static_cast<uint8_t>(b / 2 | a * 2), both};
    case program::Dependence::kQuotient:
      return {static_cast<uint8_t>(b / 2 | 2), both};
    case program::Dependence::kAddmm:
      return {static_cast<uint8_t>(c / 2 | b * 2), static_cast<uint8_t>(b | c)};
    case program::Dependence::kAffine:
      return {static_cast<uint8_t>(b / 2 | a * 2), both};
    case program::Dependence::kCurved: {
      if (signature.differentiable == 3) return {3, both};
      // The graph makes no claim about what follows from the gradient of a reduction or scan.
      const bool elementwise =
          signature.category == Category::kElementwise || signature.category == Category::kInPlace;
      return {static_cast<uint8_t>(elementwise ? 1 : 0), both};
    }
  }
  return {};
}

// How often, in percent, an op that may give indices does.
constexpr int kSharePairs = 45;

bool IsView(Opcode op, bool operand_contiguous) {
  if (op == Opcode::kReshape) return operand_contiguous;
  return SignatureOf(op).category == Category::kView;
}

// How many products an entry of a matrix product or of a convolution adds up.
int64_t TermsOfProduct(const Signature& signature, const Shape& a, const Shape& b) {
  if (signature.op == Opcode::kEinsum) {  // at most
    return twingrad::program::NumElements(a) * twingrad::program::NumElements(b);
  }
  if (signature.Find(Key::kGroups) == nullptr) return a.empty() ? 1 : a.back();
  const bool transposed = signature.Find(Key::kOutputPadding) != nullptr;
  return twingrad::program::NumElements(b) / b[transposed ? 1 : 0];
}

Range AfterCast(Range range, DType to) {
  if (twingrad::IsFloating(to)) {
    range.exact &= range.Width() <= twingrad::FormatOf(to).precision;
    return range;
  }
  range.low = std::max(range.low, 0);
  range.positive = range.power_of_two = false;
  range.exact = true;
  return range;
}

}  // namespace

int64_t Draft::NumElements(ValueId value) const {
  return twingrad::program::NumElements(ShapeOf(value));
}

void Draft::Regenerate(Known& view) {
  const Known& base = known_[view.base];
  if (base.node == kNoNode) return;
  view.node = graph_.Add({{base.node}});
  view.synced = base.writes;
}

bool Draft::IsRoomy(const Range& range, DType dtype) const {
  // From 2^7 to the end of f16 it is a square.
  if (!range.exact) return range.high <= (dtype == DType::kF16 ? 7 : 12);
  return range.Width() <= RoomyWidth(dtype) && range.high <= RoomyWidth(dtype);
}

bool Draft::MayWrite(ValueId value) {
  const Known& known = known_[value];
  if (!known.writable || !known.usable) return false;
  if (grad_mode() && known.made_in_no_grad) return false;
  if (known_[known.base].leaf && known_[known.base].node != kNoNode && grad_mode()) return false;
  const ValueId storage = builder_.Info(value).storage;
  for (const auto& [saved, node] : saved_) {
    if (saved == storage && !std::as_const(graph_)[node].freed) return false;
  }
  return true;
}

ValueId Draft::PickDifferentiable() {
  const ValueId value = Pick([this](ValueId v) {
    return IsFloating(v) && RequiresGrad(v) && IsRoomy(known_[v].range, DTypeOf(v));
  });
  return value != kNoValue ? value : MakeLeaf(*this, {.grad = true});
}

ValueId Draft::Leaf(const TensorType& type, Bits data, bool grad, DeviceIndex device,
                    const Range& range) {
  return LearnLeaf(builder_.Leaf(type, std::move(data), grad, device), grad, range);
}

ValueId Draft::SeededLeaf(const TensorType& type, int64_t seed, bool grad, DeviceIndex device) {
  return LearnLeaf(builder_.SeededLeaf(type, seed, grad, device), grad, Range());
}

ValueId Draft::LearnLeaf(ValueId leaf, bool grad, const Range& range) {
  if (leaf == kNoValue) return leaf;
  Known& known = Learn(leaf);
  known.base = leaf;
  known.leaf = true;
  known.range = range;
  if (grad) known.node = graph_.Add({});
  return leaf;
}

// Of a sum of products, and what is added to it.
Range Draft::RangeOfProduct(Opcode op, absl::Span<const ValueId> operands) const {
  if (operands.size() == 1) return AfterSum(known_[operands[0]].range, NumElements(operands[0]));
  const ValueId a = operands[0], b = operands[1];
  const int64_t products = TermsOfProduct(SignatureOf(op), ShapeOf(a), ShapeOf(b));
  const Range sum = AfterSum(AfterProduct(known_[a].range, known_[b].range), products);
  return operands.size() < 3 ? sum : AfterSum(Union(sum, known_[operands[2]].range), 2);
}

Range Draft::RangeOf(Opcode op, absl::Span<const ValueId> operands, ValueId result) const {
  const Range& a = known_[operands[0]].range;
  const int64_t before = NumElements(operands[0]);
  const int64_t after = result == kNoValue ? before : NumElements(result);
  const int64_t terms = after == 0 ? 1 : before / after;
  switch (SignatureOf(op).facts.numbers) {
    case Numbers::kSumOver:
      return AfterSum(a, terms);
    case Numbers::kMeanOver: {
      if (PlaneRank(SignatureOf(op)) > 0) {  // of windows with powers of 2 entries
        return {a.high, a.low - 5, a.exact && !rounding(), a.positive, false};
      }
      Range range = AfterSum(a, terms);
      const bool shift = terms > 0 && (terms & (terms - 1)) == 0;
      range.exact = range.exact && shift;
      range.low -= 5;
      return range;
    }
    case Numbers::kMatmul:
      return RangeOfProduct(op, operands);
    case Numbers::kProductOver:
      return AfterProductOf(a, op == Opcode::kCumprod ? before : terms);
    case Numbers::kCumulated: {
      Range range = AfterSum(a, before);
      if (op == Opcode::kSparseCoo) range.positive = false;  // zeros where there are no entries
      return range;
    }
    case Numbers::kScattered:
      return RangeOfScattered(op, operands);
    case Numbers::kAddmm: {
      const Range product = AfterProduct(known_[operands[1]].range, known_[operands[2]].range);
      // addbmm adds up the products of all matrices.
      return AfterSum(Union(a, product), 1 + NumElements(operands[1]));
    }
    case Numbers::kAddcmul:
      return AfterSum(Union(a, AfterProduct(known_[operands[1]].range, known_[operands[2]].range)),
                      2);
    case Numbers::kSquaredDifference: {
      Range range = AfterSum(AfterBinary(op, a, known_[operands[1]].range), before);
      range.exact = false;  // a mean, in most cases
      return range;
    }
    case Numbers::kCast:
      return AfterCast(a, DTypeOf(result));
    case Numbers::kEither: {
      if (op == Opcode::kWhere) return Union(known_[operands[1]].range, known_[operands[2]].range);
      Range range = a;
      for (size_t k = 0; k < operands.size(); ++k) {
        if (SignatureOf(op).IsIndex(static_cast<int>(k))) continue;
        range = Union(range, known_[operands[k]].range);
      }
      return range;
    }
    case Numbers::kPadded:  // the first operand of masked_fill is a condition
      return AfterUnary(op, known_[operands.back()].range);
    case Numbers::kBetween: {
      Range all = a;
      for (const ValueId operand : operands) all = Union(all, known_[operand].range);
      return AfterUnary(op, all);
    }
    default:  // what counts do not matter to
      return operands.size() == 2 ? AfterBinary(op, a, known_[operands[1]].range)
                                  : AfterUnary(op, a);
  }
}

// Of what is added to the first operand; index_put may add a number as often as it has indices.
Range Draft::RangeOfScattered(Opcode op, absl::Span<const ValueId> operands) const {
  const size_t added = SignatureOf(op).IsIndex(1) ? 2 : 1;
  int64_t most = NumElements(operands[added]);
  for (size_t k = added + 1; k < operands.size(); ++k) {
    most = std::max(most, NumElements(operands[k]));
  }
  return AfterSum(Union(known_[operands[0]].range, known_[operands[added]].range), 1 + most);
}

// Of the elements that may meet in one place of a scatter_reduce.
Range Draft::RangeOfReduced(absl::Span<const ValueId> operands,
                            const Attributes& attributes) const {
  const Range all = Union(known_[operands[0]].range, known_[operands[2]].range);
  std::string reduction;
  int64_t most = 1;
  for (const Attribute& a : attributes) {
    if (a.key == Key::kReduction) reduction = std::get<std::string>(a.value);
    if (a.key != Key::kDim) continue;
    most += ShapeOf(operands[2])[static_cast<size_t>(std::get<int64_t>(a.value))];
  }
  if (reduction == "amax" || reduction == "amin") return all;
  if (reduction == "prod") return AfterProductOf(all, most);
  Range range = AfterSum(all, most);
  if (reduction == "mean") range.low -= 5, range.exact = false;
  return range;
}

NodeIndex Draft::Record(Opcode op, absl::Span<const ValueId> operands, ValueId result,
                        bool in_place) {
  const ValueId target = in_place ? operands[0] : result;
  if (!grad_mode() || !IsFloating(target) || op == Opcode::kDetach) return kNoNode;
  const Signature& signature = SignatureOf(op);
  GraphNode node;
  bool any = false;
  bool requires_grad[3] = {};
  for (size_t i = 0; i < operands.size() && i < 3; ++i) {
    if (!signature.IsDifferentiable(static_cast<int>(i))) continue;
    const NodeIndex edge = IsFloating(operands[i]) ? NodeOf(operands[i]) : kNoNode;
    requires_grad[i] = edge != kNoNode;
    any |= requires_grad[i];
    node.edges.push_back(edge);
  }
  if (op == Opcode::kZeroInPlace || op == Opcode::kCopyInPlace) {
    any |= NodeOf(operands[0]) != kNoNode;
  }
  if (!any) return kNoNode;
  const Dependence dependence = DependenceOf(signature, requires_grad);
  node.nonlinear = dependence.nonlinear;
  for (size_t i = 0; i < operands.size() && i < 3; ++i) {
    if (dependence.factors >> i & 1 && requires_grad[i])
      node.factors.push_back(NodeOf(operands[i]));
  }
  const program::Saves saves = signature.SavedBy(requires_grad[0], requires_grad[1]);
  node.saves = saves != 0 || (in_place && dependence.factors != 0);
  const NodeIndex index = graph_.Add(std::move(node));
  if (saved_hooks_depth_ > 0) return index;
  for (size_t i = 0; i < operands.size() && i < 5; ++i) {
    if (saves >> i & 1) saved_.push_back({builder_.Info(operands[i]).storage, index});
  }
  if (saves & program::kSavesResult) saved_.push_back({builder_.Info(target).storage, index});
  return index;
}

void Draft::LearnView(Opcode op, ValueId operand, ValueId result, const Attributes& attributes) {
  const Known from = known_[operand];
  Known& known = known_[result];
  known.base = from.base;
  known.synced = known_[from.base].writes;
  bool repeats = op == Opcode::kExpand && ShapeOf(operand) != ShapeOf(result);
  if (op == Opcode::kUnfold) {
    int64_t step = 1, count = 1;
    for (const Attribute& a : attributes) {
      if (a.key == Key::kStep) step = std::get<int64_t>(a.value);
      if (a.key == Key::kCount) count = std::get<int64_t>(a.value);
    }
    repeats = step < count;
  }
  repeats |= op == Opcode::kAsStrided;  // it may
  known.writable = from.writable && !repeats;
  known.made_in_no_grad = from.made_in_no_grad || !grad_mode();
  known.aliased = known_[operand].aliased = true;
  known.range = from.range;
  bool keeps_order = op == Opcode::kView || op == Opcode::kReshape || op == Opcode::kSqueeze ||
                     op == Opcode::kUnsqueeze || op == Opcode::kAlias;
  if (op == Opcode::kSelect) {
    for (const Attribute& a : attributes) {
      keeps_order |= a.key == Key::kDim && std::get<int64_t>(a.value) == 0;
    }
  }
  known.contiguous = (from.contiguous && (keeps_order || ShapeOf(operand) == ShapeOf(result))) ||
                     NumElements(result) <= 1;
}

ValueId Draft::Op(Opcode op, absl::Span<const ValueId> operands, Attributes attributes) {
  if (!options().Has(op)) return kNoValue;
  if (program::MayGiveIndices(op) && source_.Chance(kSharePairs)) {
    const std::vector<ValueId> pair = OpWithIndices(op, operands[0], std::move(attributes));
    return pair.empty() ? kNoValue : pair[0];
  }
  const ValueId result = builder_.Op(op, operands, std::move(attributes));
  if (result != kNoValue) LearnComputed(op, operands, {&result, 1});
  return result;
}

std::vector<ValueId> Draft::OpWithIndices(Opcode op, ValueId x, Attributes attributes) {
  if (!options().Has(op)) return {};
  const std::vector<ValueId> results = builder_.Results(2, op, {x}, std::move(attributes));
  if (!results.empty()) LearnComputed(op, {x}, results);
  return results;
}

// Of the last statement, which has its attributes but those that hold their default.
void Draft::LearnComputed(Opcode op, absl::Span<const ValueId> operands,
                          absl::Span<const ValueId> results) {
  const Attributes& attributes = builder_.statement(builder_.num_statements() - 1).attributes;
  uses_.set(static_cast<size_t>(op));
  const ValueId result = results[0];
  for (const ValueId each : results) Learn(each).base = each;
  if (IsView(op, known_[operands[0]].contiguous)) {
    LearnView(op, operands[0], result, attributes);
  } else {
    known_[result].range = op == Opcode::kScatterReduce ? RangeOfReduced(operands, attributes)
                                                        : RangeOf(op, operands, result);
  }
  if (op == Opcode::kDetach) {
    const Known& from = known_[operands[0]];
    known_[result].aliased = known_[operands[0]].aliased = true;
    known_[result].contiguous = from.contiguous;
    known_[result].writable = from.writable;
    known_[result].range = from.range;
  }
  const NodeIndex node = Record(op, operands, result, /*in_place=*/false);
  known_[result].node = node;
  if (program::MakesSparse(op)) known_[result].usable = false;  // by others than those few
  if (results.size() == 1) return;
  const ValueId indices = results[1];
  for (const Attribute& a : attributes) {
    if (a.key != Key::kDim) continue;
    known_[indices].below = ShapeOf(operands[0])[static_cast<size_t>(std::get<int64_t>(a.value))];
  }
  // A write to them is one to what the node has saved.
  if (node == kNoNode || saved_hooks_depth_ > 0) return;
  saved_.push_back({builder_.Info(indices).storage, node});
}

std::vector<ValueId> Draft::Parts(Opcode op, ValueId x, Attributes attributes) {
  if (!options().Has(op)) return {};
  const std::vector<ValueId> results = builder_.Parts(op, x, attributes);
  if (results.empty()) return results;
  uses_.set(static_cast<size_t>(op));
  for (const ValueId result : results) Learn(result);
  const NodeIndex node = Record(op, {x}, results[0], /*in_place=*/false);
  const program::Statement parts = {
      op, {results.begin(), results.end()}, {x}, std::move(attributes)};
  for (size_t k = 0; k < results.size(); ++k) {
    const program::Statement alone = program::PartAlone(parts, ShapeOf(x), k);
    LearnView(alone.op, x, results[k], alone.attributes);
    known_[results[k]].node = node;
  }
  return results;
}

bool Draft::Write(Opcode op, std::initializer_list<ValueId> operands) {
  const absl::Span<const ValueId> span(operands.begin(), operands.size());
  const ValueId target = span[0];
  if (!options().Has(op) || !builder_.Add(op, span)) return false;
  uses_.set(static_cast<size_t>(op));
  MakeStale(target);
  const Range written = RangeOf(op, span, kNoValue);
  LearnWrite(target, Record(op, span, kNoValue, /*in_place=*/true), written);
  return true;
}

// Everything saved from the target's storage so far is overwritten.
void Draft::MakeStale(ValueId target) {
  for (const auto& [saved, node] : saved_) {
    if (saved == builder_.Info(target).storage) graph_[node].stale = true;
  }
}

void Draft::LearnWrite(ValueId target, NodeIndex node, const Range& written) {
  const ValueId storage = builder_.Info(target).storage;
  const ValueId base = known_[target].base;
  const bool whole = NumElements(target) == NumElements(base);
  for (ValueId v = 0; v < num_values(); ++v) {
    if (builder_.Info(v).storage != storage) continue;
    known_[v].range = whole ? written : Union(known_[v].range, written);
    known_[v].below = 0;
    // It cannot be made anew: an error where it is used.
    if (swarm_.narrows() && node != kNoNode && known_[v].made_in_no_grad) known_[v].usable = false;
  }
  ++known_[base].writes;
  if (node == kNoNode) return;
  if (base != target && known_[base].node != kNoNode) {
    graph_[node].edges.push_back(known_[base].node);
  }
  known_[base].node = node;
  known_[base].leaf = false;
}

bool Draft::Add(Opcode op, std::initializer_list<ValueId> operands, Attributes attributes) {
  const bool acts = std::any_of(attributes.begin(), attributes.end(), [](const auto& attribute) {
    return attribute.key == Key::kTarget;
  });
  const bool empties = std::any_of(attributes.begin(), attributes.end(), [](const auto& a) {
    return a.key == Key::kDo && std::get<std::string>(a.value) == "zero_grad";
  });
  const bool added = options().Has(op) && builder_.Add(op, operands, std::move(attributes));
  if (added && empties) known_[*operands.begin()].emptied = true;
  has_acting_hooks_ |= added && acts;
  return added;
}

void Draft::Forget(ValueId first, absl::Span<const ValueId> but) {
  for (ValueId v = first; v < num_values(); ++v) known_[v].usable = false;
  for (const ValueId v : but) known_[v].usable = true;
}

void Draft::SetHidden(ValueId first, ValueId last, bool hidden) {
  for (ValueId v = first; v < last; ++v) {
    if (hidden && known_[v].usable) {
      known_[v].usable = false;
      hidden_.push_back(v);
    } else if (!hidden && std::erase(hidden_, v) > 0) {
      known_[v].usable = true;
    }
  }
}

bool Draft::Begin(program::RegionKind kind) {
  return Add(Opcode::kBegin, {}, {{Key::kKind, std::string(RegionKindName(kind))}});
}

void Draft::BeginNoGrad() {
  if (Begin(program::RegionKind::kNoGrad)) ++no_grad_depth_;
}

bool Draft::BeginSavedHooks(const std::string& action, double by) {
  Attributes attributes = {
      {Key::kKind, std::string(RegionKindName(program::RegionKind::kSavedTensorHooks))},
      {Key::kDo, action}};
  if (action == "scale") attributes.push_back({Key::kBy, by});
  const bool begun = Add(Opcode::kBegin, {}, std::move(attributes));
  saved_hooks_depth_ += begun ? 1 : 0;
  return begun;
}

void Draft::EndSavedHooks() {
  if (saved_hooks_depth_ > 0 && Add(Opcode::kEnd, {})) --saved_hooks_depth_;
}

void Draft::EndNoGrad() {
  if (no_grad_depth_ > 0 && Add(Opcode::kEnd, {})) --no_grad_depth_;
}

}  // namespace twingrad::generators
