#include "proptests/generators/operation.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/program/leaf_data.h"
#include "autograd/program/signature.h"
#include "proptests/generators/einsum.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/rearrange.h"
#include "proptests/generators/window.h"

namespace twingrad::generators {
namespace {

using twingrad::program::Category;
using twingrad::program::SignatureOf;
using twingrad::program::Takes;
using twingrad::program::UnaryOps;

bool Suits(const Draft& draft, ValueId a, ValueId b) {
  return draft.DTypeOf(a) == draft.DTypeOf(b) && draft.DeviceOf(a) == draft.DeviceOf(b) &&
         Broadcast(draft.ShapeOf(a), draft.ShapeOf(b));
}

// Another operand for x: an existing value, or a leaf.
ValueId Partner(Draft& draft, ValueId x, Content content = Content::kAny) {
  Source& source = draft.source();
  if (content == Content::kAny && source.Chance(65)) {
    const ValueId found = draft.Pick([&](ValueId v) {
      return v != x && Suits(draft, x, v) && draft.IsRoomy(draft[v].range, draft.DTypeOf(v));
    });
    if (found != kNoValue) return found;
  }
  return MakeLeaf(draft, {.dtype = draft.DTypeOf(x),
                          .shape = MakeBroadcastable(draft, draft.ShapeOf(x)),
                          .device = draft.DeviceOf(x),
                          .grad = content == Content::kAny ? source.Chance(70) : source.Chance(25),
                          .content = content});
}

bool StaysRoomy(Draft& draft, Opcode op, ValueId a, ValueId b) {
  return draft.IsRoomy(AfterBinary(op, draft[a].range, draft[b].range), draft.DTypeOf(a));
}

ValueId ApplyDiv(Draft& draft, ValueId x) {
  if (!draft.IsFloating(x)) return x;
  Source& source = draft.source();
  // Division by other numbers rounds; by zero it makes infinities, which are rare and wanted.
  const Content content = !draft.rounding() ? Content::kPowersOfTwo
                          : source.Chance(6) && draft.options().Has(Feature::kNumbers)
                              ? Content::kZeroOneTwo
                              : Content::kPositive;
  if (content == Content::kZeroOneTwo) draft.Mark(Feature::kNumbers);
  const ValueId divisor = Partner(draft, x, content);
  return OrSelf(draft.Op(Opcode::kDiv, {x, divisor}), x);
}

ValueId ApplyPow(Draft& draft, ValueId x) {
  Source& source = draft.source();
  if (!StaysRoomy(draft, Opcode::kPow, x, x)) return x;
  const bool grad = draft.rounding() && draft[x].range.positive && source.Chance(50);
  const ValueId exponent = MakeLeaf(draft, {.dtype = draft.DTypeOf(x),
                                            .shape = source.Chance(70) ? Shape{} : draft.ShapeOf(x),
                                            .device = draft.DeviceOf(x),
                                            .grad = grad,
                                            .content = Content::kZeroOneTwo});
  return OrSelf(draft.Op(Opcode::kPow, {x, exponent}), x);
}

// clamp or hardtanh.
ValueId ApplyClamp(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const Opcode op = source.Chance(40) ? Opcode::kHardtanh : Opcode::kClamp;
  if (!draft.IsFloating(x) || !draft.options().Has(op)) return x;
  static constexpr double kLows[] = {-1, 0, -2, 1, -0.5};
  const double low = source.Pick(kLows);
  Attributes limits;
  if (op == Opcode::kHardtanh) {
    limits = {{Key::kMin, low}, {Key::kMax, low + static_cast<double>(source.Between(1, 3))}};
    return OrSelf(draft.Op(op, {x}, std::move(limits)), x);
  }
  const uint64_t which = source.Below(3);
  if (which != 1) limits.push_back({Key::kMin, low});
  if (which != 0) limits.push_back({Key::kMax, low + static_cast<double>(source.Below(4))});
  return OrSelf(draft.Op(Opcode::kClamp, {x}, std::move(limits)), x);
}

// leaky_relu, elu or celu.
ValueId ApplyBent(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const Opcode op = source.Pick({Opcode::kLeakyRelu, Opcode::kElu, Opcode::kCelu});
  if (!draft.IsFloating(x) || !draft.rounding() || !draft.options().Has(op)) return x;
  static constexpr double kFactors[] = {0.5, 1, 0.25, 0x1p-7};
  const double by = source.Pick(kFactors) * (op != Opcode::kLeakyRelu && source.Chance(30) ? 4 : 1);
  return OrSelf(draft.Op(op, {x}, {{Key::kBy, by}}), x);
}

}  // namespace

std::vector<Opcode> PreferredFirst(absl::Span<const Opcode> preferred,
                                   absl::Span<const Opcode> table) {
  std::vector<Opcode> ops(preferred.begin(), preferred.end());
  for (const Opcode op : table) {
    if (std::ranges::find(preferred, op) == preferred.end()) ops.push_back(op);
  }
  return ops;
}

bool Broadcast(const Shape& a, const Shape& b) {
  int64_t elements = 1;
  const size_t rank = std::max(a.size(), b.size());
  for (size_t i = 1; i <= rank; ++i) {
    const int64_t from_a = i <= a.size() ? a[a.size() - i] : 1;
    const int64_t from_b = i <= b.size() ? b[b.size() - i] : 1;
    if (from_a != from_b && from_a != 1 && from_b != 1) return false;
    elements *= from_a == 1 ? from_b : from_a;
  }
  return elements <= kMaxResult;
}

bool IsTaken(Draft& draft, Opcode op, ValueId x) {
  const Range& range = draft[x].range;
  switch (SignatureOf(op).facts.takes) {
    case Takes::kAll:
      return true;
    case Takes::kSmall:
      return range.high <= 4;
    case Takes::kPositive:
      return range.positive;
    case Takes::kUnit:
      return range.high <= 0;
    case Takes::kAboveOne:
      return false;  // which no range tells
  }
  return true;
}

ValueId Taken(Draft& draft, Opcode op, ValueId x) {
  if (IsTaken(draft, op, x)) return x;
  const Takes takes = SignatureOf(op).facts.takes;
  if (takes == Takes::kUnit) return draft.Op(Opcode::kTanh, {x});
  const ValueId positive = draft.Op(Opcode::kSigmoid, {x});
  if (takes != Takes::kAboveOne || positive == kNoValue) return positive;
  return draft.Op(Opcode::kExp, {positive});
}

ValueId ApplyUnary(Draft& draft, ValueId x) {
  Source& source = draft.source();
  if (source.Chance(8)) return ApplyClamp(draft, x);
  if (draft.rounding() && source.Chance(8)) return ApplyBent(draft, x);
  using enum Opcode;
  constexpr Category kCategory = Category::kElementwise;
  static const auto* const exact = new std::vector<Opcode>(
      PreferredFirst({kNeg, kRelu, kNeg, kAbs, kNeg, kSgn}, UnaryOps(kCategory, false)));
  static const auto* const rounded = new std::vector<Opcode>(
      PreferredFirst({kSin, kExp, kTanh, kSigmoid, kCos, kLog, kSqrt}, UnaryOps(kCategory, true)));
  for (int attempt = 0; attempt < 3; ++attempt) {
    const bool rounding = draft.rounding() && draft.IsFloating(x) && source.Chance(75);
    const Opcode op = draft.Pick(Choice::kUnary, rounding ? *rounded : *exact);
    if (!draft.options().Has(op)) continue;
    if (op == Opcode::kSquare && !draft.IsRoomy(AfterUnary(op, draft[x].range), draft.DTypeOf(x))) {
      continue;
    }
    if ((op == Opcode::kAbs || op == Opcode::kSgn) && draft.DTypeOf(x) == DType::kBool) continue;
    if (!IsTaken(draft, op, x)) {
      const bool outside = SignatureOf(op).facts.takes != Takes::kSmall && source.Chance(4);
      const ValueId taken = outside ? x : source.Chance(40) ? Taken(draft, op, x) : kNoValue;
      if (taken == kNoValue) continue;
      x = taken;
    }
    const ValueId result = draft.Op(op, {x});
    if (result != kNoValue) return result;
  }
  return x;
}

ValueId Combine(Draft& draft, ValueId a, ValueId b) {
  static constexpr Opcode kOps[] = {Opcode::kMul, Opcode::kAdd, Opcode::kSub,     Opcode::kMul,
                                    Opcode::kAdd, Opcode::kMul, Opcode::kMaximum, Opcode::kMul,
                                    Opcode::kAdd, Opcode::kSub, Opcode::kMinimum};
  if (!Suits(draft, a, b)) return kNoValue;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const Opcode op = attempt == 2 ? Opcode::kAdd : draft.Pick(Choice::kCombination, kOps);
    if (!draft.options().Has(op) || !StaysRoomy(draft, op, a, b)) continue;
    return draft.Op(op, {a, b});
  }
  return kNoValue;
}

ValueId ApplyBinary(Draft& draft, ValueId x) {
  Source& source = draft.source();
  if (draft.DTypeOf(x) == DType::kBool) return x;
  if (source.Chance(draft.rounding() ? 8 : 3)) return ApplyPair(draft, x);
  const uint64_t draw = draft.Below(Choice::kBinary, 20);
  if (draw >= 18 && draft.options().Has(Opcode::kDiv)) return ApplyDiv(draft, x);
  if (draw >= 16 && draft.options().Has(Opcode::kPow)) return ApplyPow(draft, x);
  const ValueId other = Partner(draft, x);
  if (other == kNoValue) return x;
  const bool swap = source.Chance(40);
  return OrSelf(swap ? Combine(draft, other, x) : Combine(draft, x, other), x);
}

// logaddexp, atan2, xlogy, fmod or remainder.
ValueId ApplyPair(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const bool rounds = draft.rounding() && source.Chance(60);
  const Opcode op = rounds ? source.Pick({Opcode::kLogaddexp, Opcode::kAtan2, Opcode::kXlogy})
                           : source.Pick({Opcode::kFmod, Opcode::kRemainder});
  if (!draft.IsFloating(x) || !draft.options().Has(op)) return x;
  // Behind the first axis the angle jumps, no negative number has a logarithm, and nothing is left
  // beside 0.
  const bool ahead = op != Opcode::kLogaddexp && source.Chance(75);
  const ValueId other = Partner(draft, x, ahead ? Content::kPositive : Content::kAny);
  if (other == kNoValue) return x;
  const bool swap = !ahead && source.Chance(40);
  return OrSelf(draft.Op(op, {swap ? other : x, swap ? x : other}), x);
}

// where or masked_fill.
ValueId ApplyWhere(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const Opcode op = source.Chance(35) ? Opcode::kMaskedFill : Opcode::kWhere;
  if (!draft.options().Has(op) || draft.DTypeOf(x) == DType::kBool) return x;
  ValueId condition = draft.Pick([&](ValueId v) {
    return draft.DTypeOf(v) == DType::kBool && draft.DeviceOf(v) == draft.DeviceOf(x) &&
           Broadcast(draft.ShapeOf(v), draft.ShapeOf(x));
  });
  if (condition == kNoValue) {
    condition = MakeLeaf(draft, {.dtype = DType::kBool,
                                 .shape = MakeBroadcastable(draft, draft.ShapeOf(x)),
                                 .device = draft.DeviceOf(x)});
  }
  if (op == Opcode::kMaskedFill && condition != kNoValue) {
    static constexpr double kFillings[] = {0, 1, -1, 2};
    return OrSelf(draft.Op(op, {condition, x}, {{Key::kBy, source.Pick(kFillings)}}), x);
  }
  const ValueId other = source.Chance(15) ? x : Partner(draft, x);
  if (condition == kNoValue || other == kNoValue) return x;
  return OrSelf(draft.Op(Opcode::kWhere, {condition, x, other}), x);
}

// addcmul, addcdiv or lerp.
ValueId ApplyTernary(Draft& draft, ValueId x) {
  Source& source = draft.source();
  static constexpr Opcode kRounding[] = {Opcode::kAddcmul, Opcode::kAddcdiv, Opcode::kLerp};
  const bool rounding = draft.rounding() && draft.IsFloating(x);
  const Opcode op = rounding ? source.Pick(kRounding) : Opcode::kAddcmul;
  if (!draft.options().Has(op) || draft.DTypeOf(x) == DType::kBool) return x;
  const ValueId b = Partner(draft, x);
  if (b == kNoValue) return x;
  const ValueId c = Partner(draft, b, op == Opcode::kAddcdiv ? Content::kPositive : Content::kAny);
  if (c == kNoValue || !Suits(draft, x, c)) return x;
  const Range product = AfterProduct(draft[b].range, draft[c].range);
  if (!draft.IsRoomy(AfterSum(Union(draft[x].range, product), 2), draft.DTypeOf(x))) return x;
  return OrSelf(draft.Op(op, {x, b, c}), x);
}

ValueId ApplyReduction(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const int64_t elements = draft.NumElements(x);
  const bool shift = elements > 0 && (elements & (elements - 1)) == 0;
  const bool mean = draft.IsFloating(x) && draft.options().Has(Opcode::kMean) &&
                    (shift || draft.rounding()) && source.Chance(30);
  const Opcode op = mean ? Opcode::kMean : Opcode::kSum;
  if (!draft.options().Has(op)) return x;
  Attributes attributes;
  const auto rank = static_cast<int64_t>(draft.ShapeOf(x).size());
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < rank; ++d) {
    if (source.Chance(45)) dims.push_back(d);
  }
  if (!dims.empty()) attributes.push_back({Key::kDims, std::move(dims)});
  if (source.Chance(35)) attributes.push_back({Key::kKeepdim, true});
  return OrSelf(draft.Op(op, {x}, std::move(attributes)), x);
}

// The batches of the right operand of a product with x: those of x, each as it is or 1; where
// `ranks_differ`, one more of them or one fewer.
Shape RightBatches(Draft& draft, const Shape& x, bool ranks_differ) {
  Source& source = draft.source();
  Shape batches;
  for (size_t i = 0; i + 2 < x.size(); ++i) batches.push_back(source.Chance(50) ? 1 : x[i]);
  if (!ranks_differ) return batches;
  const auto rank = static_cast<int>(std::max<size_t>(x.size(), 2));
  const bool full = rank >= std::min(4, draft.options().max_rank);
  if (!full) {
    batches.insert(batches.begin(), source.Between(1, 2));
  } else if (!batches.empty()) {
    batches.erase(batches.begin());
  }
  return batches;
}

// dot, outer or bmm of x and another of its rank.
ValueId ApplyRanked(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const Shape shape = draft.ShapeOf(x);
  const bool vectors = shape.size() == 1;
  const Opcode op = !vectors ? Opcode::kBmm : source.Chance(50) ? Opcode::kDot : Opcode::kOuter;
  if (!draft.options().Has(op) || draft.NumElements(x) > 16) return x;
  if (draft.DTypeOf(x) == DType::kBool) return x;
  Shape other = shape;
  if (op == Opcode::kOuter) other[0] = source.Between(0, 3);
  if (op == Opcode::kBmm) other = {shape[0], shape[2], source.Between(1, 3)};
  const ValueId b = MakeLeaf(draft, {.dtype = draft.DTypeOf(x),
                                     .shape = other,
                                     .device = draft.DeviceOf(x),
                                     .grad = source.Chance(70)});
  if (b == kNoValue) return x;
  const Range product = AfterProduct(draft[x].range, draft[b].range);
  const int64_t terms = op == Opcode::kOuter ? 1 : shape.back();
  if (!draft.IsRoomy(AfterSum(product, terms), draft.DTypeOf(x))) return x;
  return OrSelf(draft.Op(op, {x, b}), x);
}

ValueId ApplyMatmul(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const size_t rank = draft.ShapeOf(x).size();
  if (rank > 1 && source.Chance(12)) return ApplyConvolution(draft, x);
  if (source.Chance(12)) return ApplyEinsum(draft, x);
  if (rank > 0 && rank <= 3 && source.Chance(25)) return ApplyAddmm(draft, x);
  if ((rank == 1 || rank == 3) && source.Chance(50)) return ApplyRanked(draft, x);
  if (!draft.options().Has(Opcode::kMatmul)) return x;
  const Shape shape = draft.ShapeOf(x);  // a copy: new values move the originals
  if (shape.empty() || draft.NumElements(x) > 32 || draft.DTypeOf(x) == DType::kBool) return x;
  ValueId other = source.Chance(50) ? draft.Pick([&](ValueId v) {
    const Shape& b = draft.ShapeOf(v);
    if (b.empty() || b.size() > 2 || draft.DTypeOf(v) != draft.DTypeOf(x)) return false;
    return draft.DeviceOf(v) == draft.DeviceOf(x) && b[0] == shape.back() &&
           draft.NumElements(v) <= 32;
  })
                                    : kNoValue;
  if (other == kNoValue) {
    Shape b;
    const uint64_t draw = source.Below(10);
    // Vector, matrix, or batches that broadcast against those of x, of its rank or of another.
    const uint64_t first_batched = shape.size() >= 3 ? 6 : 8;
    if (draw >= first_batched)
      b = RightBatches(draft, shape, /*ranks_differ=*/draw < first_batched + 2 && draw != 9);
    b.push_back(shape.back());
    if (draw >= 4) b.push_back(source.Between(1, 3));
    other = MakeLeaf(draft, {.dtype = draft.DTypeOf(x),
                             .shape = b,
                             .device = draft.DeviceOf(x),
                             .grad = source.Chance(70)});
  }
  if (other == kNoValue) return x;
  const Range product = AfterProduct(draft[x].range, draft[other].range);
  if (!draft.IsRoomy(AfterSum(product, shape.back()), draft.DTypeOf(x))) return x;
  return OrSelf(draft.Op(Opcode::kMatmul, {x, other}), x);
}

ValueId ApplyCopy(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const bool cast = draft.options().Has(Feature::kNumbers) && draft.options().Has(Opcode::kCast);
  if (cast && source.Chance(60)) {
    // Mostly casts between the floating types: others cut the graph.
    const bool shortens = draft.DTypeOf(x) == DType::kF64 || source.Chance(30);
    DType to = shortens ? AnyShortFloat(draft) : DType::kF64;
    if (source.Chance(12)) to = source.Chance(30) ? DType::kBool : AnyInteger(draft);
    if (draft.IsRoomy(draft[x].range, to)) {
      const ValueId result = draft.Op(Opcode::kCast, {x}, {{Key::kTo, to}});
      if (result != kNoValue) {
        draft.Mark(Feature::kNumbers);
        return result;
      }
    }
  }
  if (!draft.options().Has(Opcode::kClone)) return x;
  return OrSelf(draft.Op(Opcode::kClone, {x}), x);
}

ValueId ApplyOp(Draft& draft, ValueId x) {
  for (int attempt = 0; attempt < 3; ++attempt) {
    const uint64_t draw = draft.Below(Choice::kOp, 100);
    ValueId result = x;
    const int unary = draft.rounding() ? 35 : 14;
    if (draw < 46 - static_cast<uint64_t>(unary - 14)) {
      result = ApplyBinary(draft, x);
    } else if (draw < 60) {
      result = ApplyUnary(draft, x);
    } else if (draw < 68) {
      result = ApplyMatmul(draft, x);
    } else if (draw < 74) {
      result = ApplyReduction(draft, x);
    } else if (draw < 79) {
      result = ApplyFold(draft, x);
    } else if (draw < 88) {
      result = ApplyRearrange(draft, x);
    } else if (draw < 91) {
      result = ApplyLoss(draft, x);
    } else if (draw < 95) {
      result = draw % 2 == 0 ? ApplyWhere(draft, x) : ApplyTernary(draft, x);
    } else {
      result = ApplyCopy(draft, x);
    }
    if (result != x) return result;
  }
  return x;
}

ValueId SumAll(Draft& draft, ValueId x) {
  if (draft.ShapeOf(x).empty()) return x;
  const int64_t elements = draft.NumElements(x);
  const bool shift = elements > 0 && (elements & (elements - 1)) == 0;
  if (shift && draft.options().Has(Opcode::kMean) && draft.source().Chance(12)) {
    return draft.Op(Opcode::kMean, {x});
  }
  if (!draft.options().Has(Opcode::kSum)) return kNoValue;
  return draft.Op(Opcode::kSum, {x});
}

}  // namespace twingrad::generators
