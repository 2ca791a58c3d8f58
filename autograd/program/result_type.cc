#include "autograd/program/result_type.h"
#include "autograd/program/square.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/program/element_text.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/limits.h"

namespace twingrad::program {
namespace {

bool FollowsRule(DTypeRule rule, DType dtype) {
  if (rule == DTypeRule::kAny) return true;
  return IsFloating(dtype) || (rule == DTypeRule::kNumeric && IsInteger(dtype));
}

std::string_view RuleText(DTypeRule rule) {
  return rule == DTypeRule::kFloating ? "f16, bf16, f32 or f64" : "f16, bf16, f32, f64, i32 or i64";
}

}  // namespace

bool Broadcast(absl::Span<const int64_t> a, absl::Span<const int64_t> b, Shape* result) {
  if (a.size() < b.size()) std::swap(a, b);
  result->assign(a.begin(), a.end());
  const size_t offset = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t& size = (*result)[offset + i];
    if (size == b[i] || b[i] == 1) continue;
    if (size != 1) return false;
    size = b[i];
  }
  return true;
}

bool BroadcastsTo(absl::Span<const int64_t> from, absl::Span<const int64_t> to) {
  if (from.size() > to.size()) return false;
  const size_t offset = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] != to[offset + i] && from[i] != 1) return false;
  }
  return true;
}

bool WithinLimits(absl::Span<const int64_t> shape, std::string* why) {
  if (shape.size() > static_cast<size_t>(kMaxRank)) {
    *why = absl::StrCat("rank ", shape.size(), "; at most ", kMaxRank, " dimensions go");
    return false;
  }
  int64_t count = 1;
  for (const int64_t size : shape) {
    if (size < 0) {
      *why = absl::StrCat("size ", size, "; sizes are 0 or more");
      return false;
    }
    // A size of 0 counts as 1, so that no product of sizes overflows anywhere.
    if (size > kMaxElements || count * std::max<int64_t>(size, 1) > kMaxElements) {
      *why = absl::StrCat("shape ", ShapeText(shape), "; a tensor may have at most ", kMaxElements,
                          " elements (sizes of 0 counted as 1)");
      return false;
    }
    count *= std::max<int64_t>(size, 1);
  }
  return true;
}

bool Inference::CheckDTypes() {
  size_t first = 0;
  if (signature_.op == Opcode::kWhere || signature_.op == Opcode::kMaskedFill) {
    first = 1;
    if (operands_[0]->dtype != DType::kBool) {
      return fault_.BlameOperand(0, "the condition of ", signature_.name, " is ",
                                 DTypeName(operands_[0]->dtype), "; it must be bool: cast it");
    }
  }
  for (size_t i = first; i < operands_.size(); ++i) {
    const DType dtype = operands_[i]->dtype;
    if (signature_.IsIndex(static_cast<int>(i))) {
      if (!CheckIndex(i)) return false;
      continue;
    }
    if (!FollowsRule(signature_.dtypes, dtype)) {
      return fault_.BlameOperand(i, signature_.name, " does not take ", DTypeName(dtype),
                                 "; its operands must be ", RuleText(signature_.dtypes));
    }
    if (dtype != operands_[first]->dtype) {
      return fault_.BlameOperand(i, "element types ", DTypeName(operands_[first]->dtype), " and ",
                                 DTypeName(dtype), " differ; they must be equal: cast one of them");
    }
  }
  return true;
}

bool Inference::Elementwise() {
  result_.dtype = operands_.back()->dtype;
  result_.shape = shape();
  for (size_t i = 1; i < operands_.size(); ++i) {
    Shape broadcast;
    if (!Broadcast(result_.shape, shape(i), &broadcast)) {
      return fault_.BlameOperand(
          i, "shapes ", ShapeText(result_.shape), " and ", ShapeText(shape(i)),
          " do not broadcast; sizes, counted from the last dimension, must be equal or 1");
    }
    result_.shape = std::move(broadcast);
  }
  return true;
}

bool Inference::CheckClamp() {
  const DType dtype = result_.dtype;
  const AttributeValue* low = statement_.Find(Key::kMin);
  const AttributeValue* high = statement_.Find(Key::kMax);
  if (low == nullptr && high == nullptr) {
    return fault_.BlameName("clamp without min= and max=; it needs one of them or both");
  }
  for (const Key key : {Key::kMin, Key::kMax}) {
    const AttributeValue* bound = statement_.Find(key);
    if (bound == nullptr) continue;
    const double number = std::get<double>(*bound);
    if (std::isnan(number) || !IsRepresentable(number, FormatOf(dtype))) {
      return fault_.BlameKey(key, KeyName(key), "=", number, " of ", signature_.name, " on ",
                             DTypeName(dtype), "; it must be a number that this type holds");
    }
  }
  if (low == nullptr || high == nullptr) return true;
  const double least = std::get<double>(*low), most = std::get<double>(*high);
  if (op() == Opcode::kHardtanh) {
    if (least < most) return true;
    return fault_.BlameKey(Key::kMin, "min= of hardtanh is not below max=; it must be");
  }
  if (least <= most) return true;
  return fault_.BlameKey(Key::kMin, "min= is above max=; it may be equal to it or less");
}

// by= of dropout.
bool Inference::CheckShare() {
  const double by = statement_.Get<double>(Key::kBy);
  if (by >= 0 && by < 1) return true;
  return fault_.BlameKey(Key::kBy, "by=", by, " of dropout; it is a share from 0 to less than 1");
}

// by= of leaky_relu, elu and celu.
bool Inference::CheckFactor() {
  const double by = statement_.Get<double>(Key::kBy);
  const double most = op() == Opcode::kLeakyRelu ? 1 : std::numeric_limits<double>::max();
  const bool fits = by > 0 && by <= most && IsRepresentable(by, FormatOf(result_.dtype));
  if (fits) return true;
  return fault_.BlameKey(Key::kBy, "by=", by, " of ", signature_.name, " on ",
                         DTypeName(result_.dtype), "; it must be above 0",
                         op() == Opcode::kLeakyRelu ? ", at most 1," : ", finite",
                         " and a number that this type holds");
}

bool Inference::InPlace() {
  result_ = *operands_[0];
  for (size_t i = 1; i < operands_.size(); ++i) {
    if (!BroadcastsTo(shape(i), result_.shape)) {
      return fault_.BlameOperand(
          i, "shape ", ShapeText(shape(i)), " does not broadcast to ", ShapeText(result_.shape),
          ", the shape of the value written; an in-place statement keeps it");
    }
  }
  return true;
}

// The product of the operands after the first, each of the rank that the op takes.
bool Inference::FactorsOf(Shape* product, int64_t* inner) {
  const bool batched = op() == Opcode::kBaddbmm || op() == Opcode::kAddbmm;
  const size_t rank = batched ? 3 : op() == Opcode::kAddr ? 1 : 2;
  const size_t ranks[] = {rank, op() == Opcode::kAddmv ? 1 : rank};
  for (int i = 1; i < 3; ++i) {
    if (shape(i).size() == ranks[i - 1]) continue;
    return fault_.BlameOperand(i, signature_.name, " of a factor of rank ", shape(i).size(),
                               "; rank ", ranks[i - 1], " goes");
  }
  const Shape &b = shape(1), &c = shape(2);
  if (op() == Opcode::kAddr) {
    *product = {b[0], c[0]};
    return true;
  }
  const int64_t columns = b.back(), rows = c[c.size() == 1 ? 0 : c.size() - 2];
  if (columns != rows || (batched && b[0] != c[0])) {
    return fault_.BlameOperand(2, signature_.name, " of ", ShapeText(b), " and ", ShapeText(c),
                               columns != rows ? ": inner sizes " : ": numbers of matrices ",
                               columns != rows ? columns : b[0], " and ",
                               columns != rows ? rows : c[0], " differ; they must be equal");
  }
  *inner = op() == Opcode::kAddbmm ? columns * b[0] : columns;
  if (op() == Opcode::kBaddbmm) product->push_back(b[0]);
  product->push_back(b[b.size() - 2]);
  if (c.size() > 1) product->push_back(c.back());
  return true;
}

// addmm and the like.
bool Inference::AddedProduct() {
  int64_t inner = 1;
  if (!FactorsOf(&result_.shape, &inner) || !CheckResult()) return false;
  work_ = NumElements(result_.shape) * (inner + 1);
  if (BroadcastsTo(shape(), result_.shape)) return true;
  return fault_.BlameOperand(0, "shape ", ShapeText(shape()), " does not broadcast to ",
                             ShapeText(result_.shape), ", the shape of the product; ",
                             signature_.name, " adds to it");
}

// Rows by rows.
bool Inference::Linear() {
  const Shape &a = shape(0), &b = shape(1);
  if (b.size() != 2) {
    return fault_.BlameOperand(1, "linear by a value of rank ", b.size(), "; rank 2 goes");
  }
  if (a.empty() || a.back() != b[1]) {
    return fault_.BlameOperand(0, "linear of ", ShapeText(a), " by ", ShapeText(b),
                               "; the last sizes must be equal");
  }
  result_.shape.assign(a.begin(), a.end() - 1);
  result_.shape.push_back(b[0]);
  if (operands_.size() > 2 && shape(2) != Shape{b[0]}) {
    return fault_.BlameOperand(2, "shape ", ShapeText(shape(2)), " beside ", ShapeText(b),
                               "; there is a number for each row: ", ShapeText({b[0]}));
  }
  if (!CheckResult()) return false;
  work_ = NumElements(result_.shape) * (b[1] + 1);
  return true;
}

bool Inference::Attention() {
  const Shape &a = shape(0), &b = shape(1), &c = shape(2);
  for (size_t k = 0; k < 3; ++k) {
    if (shape(k).size() >= 2 && shape(k).size() <= 4) continue;
    return fault_.BlameOperand(k, signature_.name, " of a value of rank ", shape(k).size(),
                               "; ranks 2 to 4 go");
  }
  const auto batches = [](const Shape& of) { return Shape(of.begin(), of.end() - 2); };
  const size_t last = a.size() - 1;
  const bool fits = a.size() == b.size() && b.size() == c.size() && batches(a) == batches(b) &&
                    batches(b) == batches(c) && a[last] == b[last] && b[last - 1] == c[last - 1] &&
                    a[last] > 0 && b[last - 1] > 0;
  if (!fits) {
    return fault_.BlameOperand(
        1, signature_.name, " of ", ShapeText(a), ", ", ShapeText(b), " and ", ShapeText(c),
        "; of [..,L,E], [..,S,E] and [..,S,D] it goes, where E and S are 1 or more");
  }
  result_.shape = a;
  result_.shape[last] = c[last];
  if (!CheckResult()) return false;
  work_ = NumElements(a) * b[last - 1] + NumElements(result_.shape) * b[last - 1];
  return true;
}

// bmm, dot and outer take operands of one rank.
bool Inference::ProductOfRank(size_t rank) {
  const Shape &a = shape(0), &b = shape(1);
  for (int i = 0; i < 2; ++i) {
    if (shape(i).size() != rank) {
      return fault_.BlameOperand(i, signature_.name, " of a value of rank ", shape(i).size(),
                                 "; rank ", rank, " goes");
    }
  }
  if (op() == Opcode::kOuter) {
    result_.shape = {a[0], b[0]};
    return true;
  }
  if (op() == Opcode::kBmm && a[0] != b[0]) {
    return fault_.BlameOperand(1, "bmm of ", a[0], " and ", b[0], " matrices; as many of both go");
  }
  return Matmul();
}

bool Inference::Matmul() {
  const Shape &a = shape(0), &b = shape(1);
  for (int i = 0; i < 2; ++i) {
    const size_t rank = shape(i).size();
    if (rank < 1 || rank > 4) {
      return fault_.BlameOperand(i, "matmul of a value of rank ", rank, "; ranks 1 to 4 go");
    }
  }
  const int64_t inner_a = a.back();
  const int64_t inner_b = b.size() == 1 ? b[0] : b[b.size() - 2];
  if (inner_a != inner_b) {
    return fault_.BlameOperand(1, "matmul of ", ShapeText(a), " and ", ShapeText(b),
                               ": inner sizes ", inner_a, " and ", inner_b,
                               " differ; they must be equal");
  }
  const absl::Span<const int64_t> whole_a(a), whole_b(b);
  const auto batch_a = whole_a.first(std::max<size_t>(a.size(), 2) - 2);
  const auto batch_b = whole_b.first(std::max<size_t>(b.size(), 2) - 2);
  if (!Broadcast(batch_a, batch_b, &result_.shape)) {
    return fault_.BlameOperand(1, "batch dimensions ", ShapeText(batch_a), " and ",
                               ShapeText(batch_b), " do not broadcast; sizes must be equal or 1");
  }
  if (a.size() > 1) result_.shape.push_back(a[a.size() - 2]);
  if (b.size() > 1) result_.shape.push_back(b.back());
  if (!CheckResult()) return false;
  work_ = NumElements(result_.shape) * inner_a;
  return true;
}

bool Inference::LossByClasses(Shape* each) {
  const Shape& a = shape();
  if (a.empty() || a.size() > 2) {
    return fault_.BlameOperand(0, signature_.name, " of shape ", ShapeText(a),
                               "; it takes [N,C], or [C] for one sample");
  }
  each->assign(a.begin(), a.end() - 1);
  if (shape(1) == *each) return true;
  return fault_.BlameOperand(1, "classes of shape ", ShapeText(shape(1)), " for ", ShapeText(a),
                             "; they must have ", ShapeText(*each));
}

bool Inference::Loss() {
  Shape each = shape();
  if (signature_.indices != 0) {
    if (!LossByClasses(&each)) return false;
  } else if (shape(1) != each) {
    return fault_.BlameOperand(1, "shapes ", ShapeText(each), " and ", ShapeText(shape(1)),
                               " differ; ", signature_.name, " takes equal ones: expand one");
  }
  if (statement_.Get<std::string>(Key::kReduction) == "none") result_.shape = std::move(each);
  return true;
}

bool Inference::CheckResult() {
  std::string why;
  return WithinLimits(result_.shape, &why) || fault_.BlameName(why);
}

bool Inference::Dispatch() {
  switch (signature_.category) {
    case Category::kElementwise:
      if (!Elementwise()) return false;
      if (op() == Opcode::kDropout) return CheckShare();
      if (signature_.Find(Key::kMin) != nullptr) return CheckClamp();
      if (op() == Opcode::kMaskedFill) return CheckPadding();
      return signature_.Find(Key::kBy) == nullptr || CheckFactor();
    case Category::kReduction:
      if (signature_.Find(Key::kKernel) != nullptr) return Pooled();
      if (PlaneRank(signature_) > 0) return Replaned();
      return signature_.Find(Key::kDim) != nullptr ? Extreme() : Reduction();
    case Category::kRearrange:
      return PlaneRank(signature_) > 0 ? Replaned() : Rearranged();
    case Category::kScan:
      return Scan();
    case Category::kNorm:
      return Norm();
    case Category::kLoss:
      return Loss();
    case Category::kMatmul:
      if (op() == Opcode::kBmm) return ProductOfRank(3);
      if (op() == Opcode::kDot || op() == Opcode::kOuter) return ProductOfRank(1);
      if (op() == Opcode::kLinear) return Linear();
      if (op() == Opcode::kEinsum) return Contracted();
      if (op() == Opcode::kScaledDotProductAttention) return Attention();
      if (IsOfSquares(op())) return OfSquares();
      if (signature_.Find(Key::kOutputPadding) != nullptr) return Transposed();
      if (signature_.Find(Key::kGroups) != nullptr) return Convolved();
      return signature_.max_operands == 3 ? AddedProduct() : Matmul();
    case Category::kView:
      return View();
    case Category::kInPlace:
      return InPlace();
    default:
      result_.shape = shape();
      if (op() == Opcode::kCast) result_.dtype = statement_.Get<DType>(Key::kTo);
      return true;
  }
}

bool Inference::Run() {
  if (!CheckDTypes()) return false;
  const bool is_indices = signature_.facts.numbers == Numbers::kIndices;
  result_ = {is_indices ? DType::kI64 : operands_[0]->dtype, {}};
  return Dispatch() && CheckResult();
}

}  // namespace twingrad::program
