// One op, each about as often as any other, so that those which the other parts seldom make stand
// in enough Programs too.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "autograd/program/parts.h"
#include "autograd/program/signature.h"
#include "proptests/generators/alias.h"
#include "proptests/generators/einsum.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/network.h"
#include "proptests/generators/operation.h"
#include "proptests/generators/parts.h"
#include "proptests/generators/rearrange.h"
#include "proptests/generators/sparse.h"
#include "proptests/generators/square.h"
#include "proptests/generators/window.h"

namespace twingrad::generators {
namespace {

using twingrad::program::Category;
using twingrad::program::DTypeRule;
using twingrad::program::PlaneRank;
using twingrad::program::Signature;
using twingrad::program::SignatureOf;

using enum Opcode;

// How often ops are drawn that few operands fit, that need operands of their own, or that no other
// part makes; each of the others once. Those on a plane are drawn three times, pools four.
struct Drawn {
  int times;
  std::vector<Opcode> ops;
};
const std::vector<Drawn>& OpsDrawnOften() {
  static const auto* const drawn = new std::vector<Drawn>{
      {12, {kAcosh}},  // two statements make its operand
      {10, {kDiagonalScatter, kAsStridedScatter}},
      {8,
       {kAddmm, kEmbedding, kTril, kTriu, kScatterReduce, kPadReplicate, kPadCircular, kPadReflect,
        kSort, kCumprod}},
      {5,
       {kScatterAdd, kIndexAdd, kRepeat, kScatter, kSliceScatter, kCummax, kCummin, kArgsort,
        kConvTranspose3d, kTopk, kTopkIndices, kCumminIndices, kLinear, kCumsum, kPad, kFlip,
        kCummaxIndices, kRoll}},
      {4,
       {kSelectScatter, kIndexPut, kCat, kIndexSelect, kIndexCopy, kConv3d, kConvTranspose2d,
        kUpsampleNearest1d, kUpsampleNearest2d, kUpsampleNearest3d, kMseLoss, kSmoothL1Loss, kAddr,
        kAddbmm, kConv2d, kBaddbmm, kSqrtInPlace}},
      {3,
       {kDropout,
        kInverse,
        kVar,
        kSolveTriangular,
        kCholesky,
        kLogcumsumexp,
        kNorm,
        kScaledDotProductAttention,
        kStd,
        kDet,
        kLogSoftmax,
        kLogsumexp,
        kStack,
        kLayerNorm,
        kBatchNorm,
        kAddmv,
        kDot,
        kAddcmul,
        kBceWithLogits,
        kMax,
        kMin,
        kSparseIndices,
        kBmm}},
      {2,
       {kArgmin, kSigmoidInPlace, kCrossEntropy, kSoftmax,    kNllLoss, kCosh,        kGroupNorm,
        kGather, kArgmax,         kAtanh,        kDivInPlace, kXlogy,   kIndex,       kMaskedSelect,
        kGelu,   kOuter,          kAmax,         kTranspose,  kSlice,   kZeroInPlace, kUnbind,
        kAsin,   kAcos,           kAddcdiv,      kLog1p,      kLog2,    kDiagonal,    kAmin,
        kUnfold, kDetach,         kReciprocal,   kLerp}}};
  return *drawn;
}

// Drawn once more by Programs of their own weights, whose other parts make them less often.
constexpr Opcode kDrawnOnceMore[] = {kArgmax,        kArgmin,
                                     kBmm,           kNllLoss,
                                     kOuter,         kAddmm,
                                     kSort,          kArgsort,
                                     kScatterAdd,    kCumsum,
                                     kFlip,          kCat,
                                     kSqrtInPlace,   kPadReplicate,
                                     kPadReflect,    kPadCircular,
                                     kEmbedding,     kStack,
                                     kAcosh,         kTril,
                                     kIndexCopy,     kTopk,
                                     kCummaxIndices, kIndexAdd,
                                     kPad,           kCumminIndices,
                                     kGroupNorm,     kRoll,
                                     kCumprod,       kIndexPut,
                                     kTopkIndices,   kDiagonalScatter,
                                     kSelectScatter, kAsStridedScatter};

int TimesDrawn(Opcode op) {
  for (const Drawn& drawn : OpsDrawnOften()) {
    if (std::ranges::find(drawn.ops, op) != drawn.ops.end()) return drawn.times;
  }
  const Signature& signature = SignatureOf(op);
  if (PlaneRank(signature) == 0) return 1;
  return signature.category == Category::kReduction ? 4 : 3;
}

// Of two kinds: those that round, which only some Programs use, and the others.
const std::vector<Opcode>& OpsThat(bool round, bool own_weights) {
  static const auto* const ops = [] {
    auto* lists = new std::vector<Opcode>[4];
    for (const Signature& signature : twingrad::program::Signatures()) {
      if (!IsComputed(signature.category) || signature.op == Opcode::kTo) continue;
      for (const bool own : {false, true}) {
        std::vector<Opcode>& list =
            lists[(Rounds(signature.facts.numbers) ? 1 : 0) + (own ? 2 : 0)];
        const bool once_more =
            own && std::ranges::find(kDrawnOnceMore, signature.op) != std::end(kDrawnOnceMore);
        const int times = TimesDrawn(signature.op) + (once_more ? 1 : 0);
        list.insert(list.end(), static_cast<size_t>(times), signature.op);
      }
    }
    return lists;
  }();
  return ops[(round ? 1 : 0) + (own_weights ? 2 : 0)];
}

bool NeedsDims(Opcode op) {
  const Category category = SignatureOf(op).category;
  return category == Category::kRearrange || category == Category::kScan ||
         category == Category::kLoss || category == Category::kMatmul ||
         category == Category::kNorm;
}

Shape ShapeFor(Draft& draft, Opcode op) {
  Shape shape = MakeShape(draft);
  if (shape.empty() && NeedsDims(op)) shape.push_back(draft.source().Between(1, 3));
  return shape;
}

// How often, in percent, an op is tried on a type that leaves seldom have.
uint64_t SharesOfSeldomTypes(const Signature& signature) {
  // The gradients of these are seldom certain in short floats.
  if (signature.op == kStd) return 0;
  if (signature.category == Category::kNorm || signature.op == kLogcumsumexp ||
      signature.op == kScaledDotProductAttention) {
    return 7;
  }
  if (signature.category == Category::kRearrange && PlaneRank(signature) > 0) return 10;
  if (IsOfSquares(signature.op)) return 12;
  // Other parts make most views and writes, of the types that leaves have; losses need room.
  if (signature.category >= Category::kLoss) return 88;
  if (signature.facts.takes != twingrad::program::Takes::kAll) return 18;
  return signature.max_operands > 1 ? 62 : 36;
}

// Such a type that the op takes, now and then. Views of floats are many.
std::optional<DType> PickSeldomType(Draft& draft, Opcode op) {
  const Signature& signature = SignatureOf(op);
  const uint64_t percent = SharesOfSeldomTypes(signature);
  if (!draft.options().Has(Feature::kNumbers) || !draft.source().Chance(percent)) {
    return std::nullopt;
  }
  // Exact sums and products of whole numbers have no room in short floats.
  const bool has_room = draft.rounding() || signature.max_operands == 1;
  std::vector<DType> types;
  if (has_room && signature.category != Category::kView) types = {DType::kF16, DType::kBF16};
  if (signature.dtypes <= DTypeRule::kNumeric)
    types.insert(types.end(), {DType::kI32, DType::kI64});
  if (signature.dtypes == DTypeRule::kAny) types.push_back(DType::kBool);
  if (types.empty()) return std::nullopt;
  const DType dtype = types[draft.source().Below(types.size())];
  if (!draft.options().Has(dtype)) return std::nullopt;
  draft.Mark(Feature::kNumbers);
  return dtype;
}

constexpr int kMostSamples = 5;  // the rank of samples of volumes with channels

// Of a type that is said mostly with elements of few digits, which leave room to compute with them.
ValueId MakeOwn(Draft& draft, Shape shape) {
  const Content small = draft.rounding() ? Content::kDecimals : Content::kZeroOneTwo;
  const bool is_small = draft.forced_dtype() && draft.source().Chance(70);
  return MakeLeaf(
      draft,
      {.shape = std::move(shape), .grad = true, .content = is_small ? small : Content::kAny});
}

// An operand that the op takes.
ValueId PickOperand(Draft& draft, Opcode op) {
  const ValueId x = draft.PickDifferentiable();
  const bool batched = op == Opcode::kBmm || op == Opcode::kBaddbmm || op == Opcode::kAddbmm;
  if (IsOfSquares(op)) return MakeSquares(draft, op);
  if (op == Opcode::kTril || op == Opcode::kTriu) {
    const Shape shape = {draft.source().Between(1, 3), draft.source().Between(0, 3)};
    return MakeOwn(draft, shape);
  }
  if (const int dims = PlaneRank(SignatureOf(op)); dims > 0) {
    Shape shape(static_cast<size_t>(dims) + 1, 0);
    for (int64_t& size : shape) size = draft.source().Between(1, dims == 3 ? 2 : 3);
    const int rank = dims + 2, most = draft.options().max_rank;
    const bool samples = rank <= most ? draft.source().Chance(50)
                                      : rank == kMostSamples && draft.source().Chance(15);
    if (samples) shape.insert(shape.begin(), draft.source().Between(0, 2));
    return MakeOwn(draft, shape);
  }
  if (op == Opcode::kEmbedding || (op == Opcode::kDiagonal && draft.source().Chance(30))) {
    const Shape shape = {draft.source().Between(1, 3), draft.source().Between(0, 3)};
    return MakeOwn(draft, shape);
  }
  if (op == Opcode::kScaledDotProductAttention || op == Opcode::kGroupNorm ||
      op == Opcode::kBatchNorm) {
    const Shape shape = {draft.source().Between(0, 2), draft.source().Between(1, 3),
                         draft.source().Between(1, 2)};
    return MakeOwn(draft, shape);
  }
  if (op == Opcode::kPadReflect || op == Opcode::kPadReplicate || op == Opcode::kPadCircular) {
    Shape shape = {draft.source().Between(1, 2), draft.source().Between(1, 3)};
    if (draft.source().Chance(15)) shape.insert(shape.begin(), 0);
    return MakeOwn(draft, shape);
  }
  if (batched || op == Opcode::kDot || op == Opcode::kOuter || op == Opcode::kAddmv ||
      op == Opcode::kAddr) {
    Shape shape = {draft.source().Chance(8) ? 0 : draft.source().Between(1, 3)};
    if (batched) shape = {shape[0], draft.source().Between(1, 2), draft.source().Between(0, 2)};
    return MakeOwn(draft, shape);
  }
  if (draft.source().Chance(4)) {
    return MakeOwn(draft, {0, draft.source().Between(1, 3)});
  }
  // Elements that differ: where they are equal but for rounding, std has no certain gradient.
  const bool apart = op == Opcode::kStd && draft.source().Chance(90);
  if (apart) {
    const Shape shape = {draft.source().Between(1, 2), draft.source().Between(2, 4)};
    return MakeLeaf(draft, {.shape = shape, .grad = true, .content = Content::kFractions});
  }
  if (draft.forced_dtype()) {
    const ValueId leaf = MakeOwn(draft, ShapeFor(draft, op));
    return leaf == kNoValue ? leaf : OrSelf(Taken(draft, op, leaf), leaf);
  }
  if (draft.swarm().narrows() && x != kNoValue && NeedsDims(op) && draft.ShapeOf(x).empty()) {
    return MakeOwn(draft, ShapeFor(draft, op));
  }
  return x == kNoValue ? x : OrSelf(Taken(draft, op, x), x);
}

// Tries whatever can make the op; draft.options() allows nothing else.
void Try(Draft& draft, Opcode op, ValueId x) {
  switch (SignatureOf(op).category) {
    case Category::kElementwise:
      if (op == Opcode::kDropout) {
        ApplyDropout(draft, x);
      } else if (op == Opcode::kWhere || op == Opcode::kMaskedFill) {
        ApplyWhere(draft, x);
      } else if (SignatureOf(op).max_operands == 3) {
        ApplyTernary(draft, x);
      } else if (SignatureOf(op).max_operands == 1) {
        ApplyUnary(draft, x);
      } else if (Rounds(SignatureOf(op).facts.numbers) || op == Opcode::kFmod ||
                 op == Opcode::kRemainder) {
        ApplyPair(draft, x);
      } else {
        ApplyBinary(draft, x);
      }
      return;
    case Category::kReduction:
      if (PlaneRank(SignatureOf(op)) > 0) {
        ApplyPool(draft, x);
        return;
      }
      ApplyReduction(draft, x);
      if (!draft.Uses(op)) ApplyFold(draft, x);
      return;
    case Category::kMatmul:
      if (PlaneRank(SignatureOf(op)) > 0) {
        ApplyConvolution(draft, x);
        return;
      }
      if (op == Opcode::kLinear) {
        ApplyLinear(draft, x);
      } else if (op == Opcode::kScaledDotProductAttention) {
        ApplyAttention(draft, x);
      } else if (op == Opcode::kEinsum) {
        ApplyEinsum(draft, x);
      } else if (IsOfSquares(op)) {
        ApplySquares(draft, x);
      } else {
        ApplyMatmul(draft, x);
      }
      return;
    case Category::kNorm:
      ApplyNorm(draft, x);
      return;
    case Category::kRearrange:
    case Category::kScan:
    case Category::kLoss:
      if (PlaneRank(SignatureOf(op)) > 0) {
        ApplyUpsampling(draft, x);
      } else if (IsSparse(op)) {
        ApplySparse(draft, x, op);
      } else {
        ApplyRearrange(draft, x);
        if (!draft.Uses(op)) ApplyLoss(draft, x);
      }
      return;
    case Category::kView:
      ApplyView(draft, x);
      return;
    case Category::kCopy:
      op == Opcode::kDetach ? draft.Op(op, {x}) : ApplyCopy(draft, x);
      return;
    default:
      return;
  }
}

void AddOp(Draft& draft) {
  Source& source = draft.source();
  const bool rounds = draft.rounding() && source.Chance(57);
  const std::vector<Opcode>& ops = OpsThat(rounds, draft.swarm().narrows());
  const Opcode op = draft.Pick(Choice::kAnyOp, ops);
  const Category category = SignatureOf(op).category;
  const GeneratorOptions& all = draft.options();
  const bool writes = category == Category::kInPlace;
  if (!all.Has(op) || (writes && !all.Has(Feature::kInPlace))) return;
  if (category == Category::kView && !all.Has(Feature::kView)) return;
  if (op == Opcode::kDetach && !all.Has(Feature::kNoGrad)) return;
  GeneratorOptions alone = all;
  alone.ops.reset();
  alone.ops.set(static_cast<size_t>(op));
  const bool indices = op == Opcode::kArgmax || op == Opcode::kArgmin || op == Opcode::kArgsort ||
                       op == Opcode::kTopkIndices || op == Opcode::kCummaxIndices ||
                       op == Opcode::kCumminIndices;
  if (indices || twingrad::program::MayGiveIndices(op)) {
    alone.ops.set(static_cast<size_t>(Opcode::kGather), all.Has(Opcode::kGather));
  }
  if (IsSparse(op)) {
    for (const Opcode other : {kSparseCoo, kCoalesce, kToDense, kSparseValues, kSparseIndices}) {
      alone.ops.set(static_cast<size_t>(other), all.Has(other));
    }
  }
  if (draft.swarm().narrows()) draft.ForgetUse(op);  // it may come again
  const std::optional<DType> dtype = PickSeldomType(draft, op);
  for (int attempt = 0; attempt < 12 && !draft.Uses(op) && draft.HasRoom(); ++attempt) {
    const Draft::Typed typed(draft, attempt < 2 ? dtype : std::nullopt);
    ValueId x = PickOperand(draft, op);
    if (x == kNoValue) return;
    if (writes && all.Has(Opcode::kClone)) x = draft.Op(Opcode::kClone, {x});
    const Draft::Narrowed narrowed(draft, alone);
    for (int again = 0; again < 12 && !draft.Uses(op) && x != kNoValue; ++again) {
      if (!writes) {
        Try(draft, op, x);
      } else if (draft.MayWrite(x)) {
        ApplyInPlace(draft, x);
      }
    }
  }
}

}  // namespace

// Ops are many: two or three in most parts.
void AddAnyOp(Draft& draft) {
  AddOp(draft);
  if (draft.source().Chance(95) && draft.HasRoom()) AddOp(draft);
  if (draft.source().Chance(42) && draft.HasRoom()) AddOp(draft);
}

}  // namespace twingrad::generators
