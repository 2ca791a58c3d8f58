#include "proptests/generators/window.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/program/signature.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/operation.h"

namespace twingrad::generators {
namespace {

using List = std::vector<int64_t>;

constexpr Opcode kConvolutions[] = {Opcode::kConv1d, Opcode::kConv2d, Opcode::kConv3d};
constexpr Opcode kPools[][3] = {
    {Opcode::kAvgPool1d, Opcode::kMaxPool1d, Opcode::kMaxPool1dIndices},
    {Opcode::kAvgPool2d, Opcode::kMaxPool2d, Opcode::kMaxPool2dIndices},
    {Opcode::kAvgPool3d, Opcode::kMaxPool3d, Opcode::kMaxPool3dIndices}};

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

// How many of the last dimensions are the plane: all but one or two. 0: none fit.
size_t PlaneRank(Draft& draft, ValueId x) {
  const Shape& shape = draft.ShapeOf(x);
  const size_t rank = shape.size();
  if (rank < 2 || rank > 5 || !draft.IsFloating(x)) return 0;
  const size_t least = std::max<size_t>(rank, 3) - 2, most = std::min<size_t>(rank - 1, 3);
  // Those of which an op may be drawn.
  List ranks;
  for (size_t dims = least; dims <= most; ++dims) {
    bool drawn = draft.options().Has(kConvolutions[dims - 1]);
    for (const Opcode op : kPools[dims - 1]) drawn |= draft.options().Has(op);
    if (drawn) ranks.push_back(static_cast<int64_t>(dims));
  }
  if (ranks.empty()) return 0;
  const auto dims = static_cast<size_t>(ranks[draft.source().Below(ranks.size())]);
  for (size_t d = rank - dims - 1; d < rank; ++d) {
    if (shape[d] == 0) return 0;
  }
  return dims;
}

Shape PlaneOf(const Shape& shape, size_t dims) {
  return Shape(shape.end() - static_cast<std::ptrdiff_t>(dims), shape.end());
}

}  // namespace

ValueId ApplyConvolution(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const size_t dims = PlaneRank(draft, x);
  if (dims == 0) return x;
  const Opcode op = kConvolutions[dims - 1];
  const Shape shape = draft.ShapeOf(x);  // a copy: new values move the originals
  if (!draft.options().Has(op) || draft.NumElements(x) > kMaxResult) return x;
  const Moves moves = MakeMoves(draft, PlaneOf(shape, dims), /*pools=*/false, 2);
  const int64_t channels = shape[shape.size() - dims - 1];
  const int64_t groups = channels > 1 && source.Chance(40) ? channels : 1;
  const int64_t results = groups * source.Between(1, 2), depth = channels / groups;
  const int64_t samples = shape.size() == dims + 2 ? shape[0] : 1;
  if (samples * results * moves.windows > kMaxResult) return x;
  Shape weights = {results, depth};
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
  return OrSelf(draft.Op(op, {x, b}, std::move(attributes)), x);
}

ValueId ApplyPool(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const size_t dims = PlaneRank(draft, x);
  if (dims == 0) return x;
  const Opcode op = source.Pick(kPools[dims - 1]);
  if (!draft.options().Has(op)) return x;
  const bool mean = op == kPools[dims - 1][0];
  const Shape shape = draft.ShapeOf(x);
  // Means of 1, 2, 4 and 8 entries do not round.
  const Moves moves =
      MakeMoves(draft, PlaneOf(shape, dims), /*pools=*/true, mean && !draft.rounding() ? 2 : 3);
  int64_t planes = shape[shape.size() - dims - 1];
  if (shape.size() == dims + 2) planes *= shape[0];
  if (planes * moves.windows > kMaxResult) return x;
  const ValueId result = draft.Op(op, {x}, AttributesOf(moves, /*pools=*/true));
  if (result == kNoValue || draft.IsFloating(result)) return OrSelf(result, x);
  // Indices of a line pick from it; those of a plane stand for themselves.
  if (dims > 1 || shape.size() != 2) return x;
  return OrSelf(draft.Op(Opcode::kGather, {x, result}, {{Key::kDim, int64_t{1}}}), x);
}

}  // namespace twingrad::generators
