#include "proptests/generators/window.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/program/signature.h"
#include "proptests/generators/indexed.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/operation.h"

namespace twingrad::generators {
namespace {

using List = std::vector<int64_t>;
using twingrad::program::Numbers;
using twingrad::program::Rounds;
using twingrad::program::SignatureOf;

constexpr Opcode kConvolutions[][2] = {{Opcode::kConv1d, Opcode::kConvTranspose1d},
                                       {Opcode::kConv2d, Opcode::kConvTranspose2d},
                                       {Opcode::kConv3d, Opcode::kConvTranspose3d}};
constexpr Opcode kPools[][6] = {
    {Opcode::kAvgPool1d, Opcode::kMaxPool1d, Opcode::kMaxPool1dIndices, Opcode::kAdaptiveAvgPool1d,
     Opcode::kAdaptiveMaxPool1d, Opcode::kAdaptiveMaxPool1dIndices},
    {Opcode::kAvgPool2d, Opcode::kMaxPool2d, Opcode::kMaxPool2dIndices, Opcode::kAdaptiveAvgPool2d,
     Opcode::kAdaptiveMaxPool2d, Opcode::kAdaptiveMaxPool2dIndices},
    {Opcode::kAvgPool3d, Opcode::kMaxPool3d, Opcode::kMaxPool3dIndices, Opcode::kAdaptiveAvgPool3d,
     Opcode::kAdaptiveMaxPool3d, Opcode::kAdaptiveMaxPool3dIndices}};
constexpr Opcode kUpsamplings[][3] = {
    {Opcode::kUpsampleNearest1d, Opcode::kUpsampleLinear1d, Opcode::kUpsampleLinear1d},
    {Opcode::kUpsampleNearest2d, Opcode::kUpsampleBilinear2d, Opcode::kUpsampleBicubic2d},
    {Opcode::kUpsampleNearest3d, Opcode::kUpsampleTrilinear3d, Opcode::kUpsampleTrilinear3d}};

// How the windows move; lists that may be left out are empty.
struct Moves {
  List kernel, stride, padding, dilation;
  int64_t windows = 1;
  int64_t entries = 1;
};

// `pools`: a padding of at most half the kernel, no dilation, and a stride that is the kernel
// without. `most`: of entries of a kernel along a dimension.
Moves MakeMoves(Draft& draft, const Shape& plane, bool pools, int64_t most) {
  Source& source = draft.source();
  Moves moves;
  const bool strides = source.Chance(50), pads = source.Chance(40), spreads = source.Chance(30);
  for (const int64_t size : plane) {
    int64_t kernel = source.Between(1, most);
    int64_t padding = pads && (!pools || kernel > 1) ? source.Between(0, 1) : 0;
    kernel = std::min(kernel, size + 2 * padding);
    if (pools && kernel == 1) padding = 0;
    const int64_t whole = size + 2 * padding;
    int64_t dilation = !pools && spreads ? 2 : 1;
    if (dilation * (kernel - 1) + 1 > whole) dilation = 1;
    const int64_t stride = strides ? source.Between(1, 2) : pools ? kernel : 1;
    moves.kernel.push_back(kernel);
    if (strides) moves.stride.push_back(stride);
    if (pads) moves.padding.push_back(padding);
    if (!pools && spreads) moves.dilation.push_back(dilation);
    moves.windows *= (whole - dilation * (kernel - 1) - 1) / stride + 1;
    moves.entries *= kernel;
  }
  return moves;
}

Attributes AttributesOf(const Moves& moves, bool pools) {
  Attributes attributes;
  if (pools) attributes.push_back({Key::kKernel, moves.kernel});
  if (!moves.stride.empty()) attributes.push_back({Key::kStride, moves.stride});
  if (!moves.padding.empty()) attributes.push_back({Key::kPadding, moves.padding});
  if (!moves.dilation.empty()) attributes.push_back({Key::kDilation, moves.dilation});
  return attributes;
}

// How many of the last dimensions are the plane, if one of these ops may be drawn: all but one or
// two. 0: none fit.
template <size_t kOps>
size_t PlaneOf(Draft& draft, ValueId x, const Opcode (&ops)[3][kOps]) {
  const Shape& shape = draft.ShapeOf(x);
  const size_t rank = shape.size();
  if (rank < 2 || rank > 5 || !draft.IsFloating(x)) return 0;
  const size_t least = std::max<size_t>(rank, 3) - 2, most = std::min<size_t>(rank - 1, 3);
  // Those of which an op may be drawn.
  List ranks;
  for (size_t dims = least; dims <= most; ++dims) {
    bool drawn = false;
    for (const Opcode op : ops[dims - 1]) drawn |= draft.options().Has(op);
    if (drawn) ranks.push_back(static_cast<int64_t>(dims));
  }
  if (ranks.empty()) return 0;
  const auto dims = static_cast<size_t>(ranks[draft.source().Below(ranks.size())]);
  for (size_t d = rank - dims - 1; d < rank; ++d) {
    if (shape[d] == 0) return 0;
  }
  return dims;
}

Shape LastOf(const Shape& shape, size_t dims) {
  return Shape(shape.end() - static_cast<std::ptrdiff_t>(dims), shape.end());
}

// Of those that may be drawn one that rounds only where that is wanted.
template <size_t kOps>
Opcode OneOf(Draft& draft, const Opcode (&ops)[kOps]) {
  for (int attempt = 0; attempt < 6; ++attempt) {
    const Opcode op = draft.source().Pick(ops);
    const bool rounds = Rounds(SignatureOf(op).facts.numbers);
    if (draft.options().Has(op) && (!rounds || draft.rounding())) return op;
  }
  return Opcode::kLeaf;
}

// Channels and samples.
int64_t PlanesOf(const Shape& shape, size_t dims) {
  const int64_t channels = shape[shape.size() - dims - 1];
  return shape.size() == dims + 2 ? channels * shape[0] : channels;
}

// What transposed windows make of the plane: paddings that leave nothing are taken back.
struct Spread {
  int64_t entries = 1;
  List more;  // output_padding=
};
Spread SpreadOf(Draft& draft, const Shape& plane, Moves& moves) {
  Spread spread;
  const bool pads = !moves.stride.empty() && draft.source().Chance(40);
  for (size_t d = 0; d < plane.size(); ++d) {
    const int64_t stride = moves.stride.empty() ? 1 : moves.stride[d];
    const int64_t dilation = moves.dilation.empty() ? 1 : moves.dilation[d];
    const int64_t more = pads && stride > 1 ? 1 : 0;
    int64_t size = (plane[d] - 1) * stride + dilation * (moves.kernel[d] - 1) + more + 1;
    if (!moves.padding.empty()) {
      if (size - 2 * moves.padding[d] < 1) moves.padding[d] = 0;
      size -= 2 * moves.padding[d];
    }
    if (pads) spread.more.push_back(more);
    spread.entries *= size;
  }
  return spread;
}

// Of a mean that is not to round, windows of one entry, of two, or of all where these are a power
// of 2.
int64_t CountOfPortions(Draft& draft, int64_t size, bool rounds) {
  Source& source = draft.source();
  if (rounds) return source.Between(1, std::min<int64_t>(size + 1, 4));
  if ((size & (size - 1)) == 0 && source.Chance(40)) return 1;
  return size % 2 == 0 && source.Chance(50) ? size / 2 : size;
}

}  // namespace

ValueId ApplyConvolution(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const size_t dims = PlaneOf(draft, x, kConvolutions);
  if (dims == 0 || draft.NumElements(x) > kMaxResult) return x;
  const Opcode op = OneOf(draft, kConvolutions[dims - 1]);
  if (op == Opcode::kLeaf) return x;
  const bool transposed = op == kConvolutions[dims - 1][1];
  const Shape shape = draft.ShapeOf(x);  // a copy: new values move the originals
  const Shape plane = LastOf(shape, dims);
  Moves moves = MakeMoves(draft, plane, /*pools=*/false, 2);
  const Spread spread = transposed ? SpreadOf(draft, plane, moves) : Spread();
  const int64_t channels = shape[shape.size() - dims - 1];
  const int64_t groups = channels > 1 && source.Chance(40) ? channels : 1;
  const int64_t results = source.Between(1, 2), depth = channels / groups;
  const int64_t samples = PlanesOf(shape, dims) / channels;
  const int64_t places = transposed ? spread.entries : moves.windows;
  if (samples * results * groups * places > kMaxResult) return x;
  Shape weights = {results * groups, depth};
  if (transposed) weights = {channels, results};
  weights.insert(weights.end(), moves.kernel.begin(), moves.kernel.end());
  const ValueId b = MakeLeaf(draft, {.dtype = draft.DTypeOf(x),
                                     .shape = weights,
                                     .device = draft.DeviceOf(x),
                                     .grad = source.Chance(70)});
  if (b == kNoValue) return x;
  const Range product = AfterProduct(draft[x].range, draft[b].range);
  if (!draft.IsRoomy(AfterSum(product, depth * moves.entries), draft.DTypeOf(x))) return x;
  Attributes attributes = AttributesOf(moves, /*pools=*/false);
  if (groups > 1) attributes.push_back({Key::kGroups, groups});
  if (!spread.more.empty()) attributes.push_back({Key::kOutputPadding, spread.more});
  return OrSelf(draft.Op(op, {x, b}, std::move(attributes)), x);
}

ValueId ApplyPool(Draft& draft, ValueId x) {
  const size_t dims = PlaneOf(draft, x, kPools);
  if (dims == 0) return x;
  const Opcode op = OneOf(draft, kPools[dims - 1]);
  if (op == Opcode::kLeaf) return x;
  const bool mean = SignatureOf(op).facts.numbers == Numbers::kMeanOver;
  const bool rounds = !mean || draft.rounding();
  const Shape shape = draft.ShapeOf(x), plane = LastOf(shape, dims);
  Attributes attributes;
  int64_t windows = 1;
  if (SignatureOf(op).Find(Key::kKernel) == nullptr) {
    List counts;
    for (const int64_t size : plane) counts.push_back(CountOfPortions(draft, size, rounds));
    for (const int64_t count : counts) windows *= count;
    attributes = {{Key::kShape, std::move(counts)}};
  } else {
    // Means of 1, 2, 4 and 8 entries do not round.
    const Moves moves = MakeMoves(draft, plane, /*pools=*/true, rounds ? 3 : 2);
    windows = moves.windows;
    attributes = AttributesOf(moves, /*pools=*/true);
  }
  if (PlanesOf(shape, dims) * windows > kMaxResult) return x;
  // Indices of a line pick from it; those of a plane stand for themselves.
  const bool lines = dims == 1 && shape.size() == 2;
  if (lines && UsesIndices(draft, op)) {
    return OrSelf(PickByIndicesOf(draft, x, op, std::move(attributes), 1), x);
  }
  const ValueId result = draft.Op(op, {x}, std::move(attributes));
  if (result == kNoValue || draft.IsFloating(result)) return OrSelf(result, x);
  if (!lines) return x;
  return OrSelf(draft.Op(Opcode::kGather, {x, result}, {{Key::kDim, int64_t{1}}}), x);
}

ValueId ApplyUpsampling(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const size_t dims = PlaneOf(draft, x, kUpsamplings);
  if (dims == 0) return x;
  const Opcode op = OneOf(draft, kUpsamplings[dims - 1]);
  if (op == Opcode::kLeaf) return x;
  const Shape shape = draft.ShapeOf(x);
  List sizes;
  int64_t entries = PlanesOf(shape, dims);
  for (const int64_t size : LastOf(shape, dims)) {
    sizes.push_back(source.Between(1, std::min<int64_t>(2 * size, 5)));
    entries *= sizes.back();
  }
  if (entries > kMaxResult) return x;
  Attributes attributes = {{Key::kShape, std::move(sizes)}};
  if (SignatureOf(op).Find(Key::kAlignCorners) != nullptr && source.Chance(40)) {
    attributes.push_back({Key::kAlignCorners, true});
  }
  return OrSelf(draft.Op(op, {x}, std::move(attributes)), x);
}

}  // namespace twingrad::generators
