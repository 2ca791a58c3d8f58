// Errors: statements that must fail at run time, one for each error class that a Program can raise.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "autograd/program/region.h"
#include "proptests/generators/calls.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

// A seed that does not fit the root.
void AddWrongSeed(Draft& draft) {
  Source& source = draft.source();
  const ValueId root = PickRoot(draft);
  if (root == kNoValue) return;
  LeafRequest request = {
      .dtype = draft.DTypeOf(root), .shape = draft.ShapeOf(root), .device = draft.DeviceOf(root)};
  switch (source.Below(draft.options().Has(Feature::kDevices) ? 3 : 2)) {
    case 0:
      request.shape->push_back(2);
      break;
    case 1:
      request.dtype = draft.DTypeOf(root) == DType::kF64 ? DType::kF32 : DType::kF64;
      break;
    default:
      request.device = draft.DeviceOf(root) == 0 ? twingrad::program::kCpu : 0;
      break;
  }
  Draft::Call call;
  call.roots = {root};
  call.seeds = {MakeLeaf(draft, request)};
  draft.AddCall(call);
}

// An implicit seed of more or fewer than one element, or a root without a graph.
void AddWrongRoot(Draft& draft) {
  const bool no_graph = draft.source().Chance(40);
  const ValueId root = draft.Pick([&](ValueId v) {
    if (no_graph) return !draft.RequiresGrad(v);
    return draft.NumElements(v) != 1 && draft.IsFloating(v) && draft.RequiresGrad(v);
  });
  if (root == kNoValue) return;
  Draft::Call call;
  call.roots = {root};
  draft.AddCall(call);
}

// A second call over a graph that the first one freed.
void AddFreed(Draft& draft) {
  const ValueId root = PickRoot(draft);
  if (root == kNoValue) return;
  const Draft::Call call = CallFrom(draft, root);
  draft.AddCall(call);
  draft.AddCall(call);
}

void AddLeafInPlace(Draft& draft) {
  const ValueId leaf =
      draft.Pick([&](ValueId v) { return draft[v].leaf && draft.RequiresGrad(v); });
  if (leaf != kNoValue) draft.Write(Opcode::kNegInPlace, {leaf});
}

// The indices that a node has saved are.
void AddVersionOfIndices(Draft& draft, ValueId x) {
  const Shape& shape = draft.ShapeOf(x);
  if (shape.empty()) return;
  const auto dim = static_cast<int64_t>(draft.source().Below(shape.size()));
  const Opcode op = draft.source().Pick({Opcode::kSort, Opcode::kCummax, Opcode::kCummin});
  const std::vector<ValueId> both = draft.OpWithIndices(op, x, {{Key::kDim, dim}});
  if (both.empty()) return;
  draft.Write(draft.source().Pick({Opcode::kNegInPlace, Opcode::kZeroInPlace}), {both[1]});
  draft.AddCall(CallFrom(draft, both[0]));
}

// A saved variable is overwritten, then needed.
void AddVersion(Draft& draft) {
  const ValueId x = draft.PickDifferentiable();
  if (x != kNoValue && draft.source().Chance(25)) return AddVersionOfIndices(draft, x);
  if (x == kNoValue || !draft.options().Has(Opcode::kMul)) return;
  const ValueId y = draft.Op(Opcode::kMul, {x, x});
  const ValueId z = y == kNoValue ? kNoValue : draft.Op(Opcode::kMul, {y, y});
  if (z == kNoValue) return;
  draft.Write(Opcode::kNegInPlace, {y});
  draft.AddCall(CallFrom(draft, z));
}

void AddUnused(Draft& draft) {
  const ValueId root = PickRoot(draft);
  const ValueId unused = MakeLeaf(draft, {.grad = true});
  if (root == kNoValue || unused == kNoValue) return;
  Draft::Call call = CallFrom(draft, root);
  call.grad = true;
  call.inputs = {unused};
  draft.AddCall(call);
}

// A hook that throws, or whose result does not fit.
void AddBadHook(Draft& draft) {
  Source& source = draft.source();
  const ValueId root = PickRoot(draft);
  if (root == kNoValue || !draft.options().Has(Opcode::kHook)) return;
  const ValueId x = source.Chance(50) ? root : draft.PickDifferentiable();
  const char* action = source.Pick({"throw", "throw", "wrong_shape", "wrong_dtype"});
  const Opcode op =
      source.Pick({Opcode::kHook, Opcode::kHook, Opcode::kPreHook, Opcode::kPostHook});
  draft.Add(op, {x}, {{Key::kDo, std::string(action)}});
  draft.AddCall(CallFrom(draft, root));
}

bool HasRootsOnDevices(const Draft& draft) {
  const GeneratorOptions& options = draft.options();
  return options.Has(Feature::kDevices) && options.Has(Feature::kSeveralRoots) &&
         options.Has(Opcode::kTo) && options.devices > 0;
}

// A hook that throws at one root of the call. The other roots, some of them leaves, are on devices
// too, so that the error leaves work queued or occurs while other devices are busy. Without devices
// a plain bad hook.
void AddFailureBesideWork(Draft& draft) {
  if (!HasRootsOnDevices(draft)) return AddBadHook(draft);
  Source& source = draft.source();
  const ValueId x = draft.PickDifferentiable();
  if (x == kNoValue || !draft.options().Has(Opcode::kHook)) return;
  const auto devices = static_cast<uint64_t>(draft.options().devices);
  auto device = static_cast<int64_t>(source.Below(devices));
  Draft::Call call;
  for (int64_t i = source.Between(2, 3); i > 0; --i) {
    if (source.Chance(30)) device = static_cast<int64_t>(source.Below(devices));
    const ValueId root =
        source.Chance(40)
            ? MakeLeaf(draft, {.dtype = DType::kF64,
                               .device = static_cast<twingrad::program::DeviceIndex>(device),
                               .grad = true})
            : draft.Op(Opcode::kTo, {x}, {{Key::kDevice, device}});
    if (root == kNoValue) return;
    call.roots.push_back(root);
    call.seeds.push_back(draft.NumElements(root) == 1 ? kNoValue : MakeSeed(draft, root));
  }
  const ValueId fails = call.roots[source.Below(call.roots.size())];
  draft.Add(Opcode::kHook, {fails}, {{Key::kDo, std::string("throw")}});
  draft.Mark(Feature::kSeveralRoots);
  draft.AddCall(call);
}

void AddNegativePower(Draft& draft) {
  if (!draft.options().Has(Opcode::kPow)) return;
  constexpr auto kMinusOne = static_cast<uint64_t>(-1);
  const ValueId base = draft.Leaf({DType::kI64, {}}, {2}, false, twingrad::program::kCpu, {});
  const ValueId exponent =
      draft.Leaf({DType::kI64, {}}, {kMinusOne}, false, twingrad::program::kCpu, {});
  if (base != kNoValue && exponent != kNoValue) draft.Op(Opcode::kPow, {base, exponent});
}

// Indices and classes that are out of range.
void AddBadIndex(Draft& draft) {
  Source& source = draft.source();
  const ValueId x = draft.Pick([&](ValueId v) {
    return draft.ShapeOf(v).size() == 1 && draft.IsFloating(v) && draft.NumElements(v) > 0;
  });
  if (x == kNoValue) return;
  const auto size = static_cast<uint64_t>(draft.NumElements(x));
  const uint64_t bad = source.Chance(50) ? size : static_cast<uint64_t>(-1);
  const bool one_class = source.Chance(30);
  const Shape shape = one_class ? Shape{} : Shape{1};
  const ValueId index = draft.Leaf({DType::kI64, shape}, {bad}, false, draft.DeviceOf(x), {});
  if (index == kNoValue) return;
  if (one_class) {
    draft.Op(Opcode::kCrossEntropy, {x, index});
  } else {
    const Opcode op = source.Pick({Opcode::kGather, Opcode::kIndexSelect, Opcode::kIndex});
    const Attributes along = {{Key::kDim, int64_t{0}}};
    draft.Op(op, {x, index}, op == Opcode::kIndex ? Attributes{} : along);
  }
}

// Rows that a matrix, with columns or without, does not have.
void AddBadRow(Draft& draft) {
  Source& source = draft.source();
  const ValueId x = MakeLeaf(draft, {.dtype = DType::kF64,
                                     .shape = Shape{source.Between(0, 2), source.Between(0, 2)},
                                     .grad = true});
  if (x == kNoValue || !draft.options().Has(Opcode::kEmbedding)) return;
  const auto rows = static_cast<uint64_t>(draft.ShapeOf(x)[0]);
  const uint64_t bad = source.Chance(50) ? rows : ~uint64_t{0};
  const ValueId index = draft.Leaf({DType::kI64, {1}}, {bad}, false, draft.DeviceOf(x), {});
  if (index == kNoValue) return;
  Attributes attributes;
  if (source.Chance(50)) attributes.push_back({Key::kSparse, true});
  draft.Op(Opcode::kEmbedding, {x, index}, std::move(attributes));
}

// A mask that says of itself that nothing is true.
void AddBadMask(Draft& draft) {
  const ValueId x = MakeLeaf(draft, {.dtype = DType::kF64, .shape = Shape{2}, .grad = true});
  if (x == kNoValue) return;
  const ValueId mask =
      draft.Leaf({DType::kBool, {2}}, {1, draft.source().Below(2)}, false, draft.DeviceOf(x), {});
  if (mask == kNoValue) return;
  const Opcode op = draft.source().Pick({Opcode::kIndex, Opcode::kMaskedSelect});
  draft.Op(op, {x, mask}, {{Key::kCount, int64_t{0}}});
}

// Indices of a sparse tensor that are out of range, or not as many as it says of itself.
void AddBadSparse(Draft& draft) {
  const ValueId x = MakeLeaf(draft, {.dtype = DType::kF64, .shape = Shape{2}, .grad = true});
  if (x == kNoValue || draft.DeviceOf(x) != twingrad::program::kCpu) return;
  const bool in_range = draft.source().Chance(50);
  const uint64_t second =
      in_range ? draft.source().Below(2) : draft.source().Pick({uint64_t{3}, ~uint64_t{0}});
  const ValueId indices =
      draft.Leaf({DType::kI64, {1, 2}}, {1, second}, false, twingrad::program::kCpu, {});
  if (indices == kNoValue) return;
  const ValueId sparse =
      draft.Op(Opcode::kSparseCoo, {x, indices}, {{Key::kShape, std::vector<int64_t>{3}}});
  if (!in_range || sparse == kNoValue) return;
  draft.Op(Opcode::kCoalesce, {sparse}, {{Key::kCount, second == 1 ? int64_t{2} : int64_t{0}}});
}

// A write to elements that share memory, and a view of a tensor that is not contiguous.
void AddBadView(Draft& draft) {
  const ValueId x = MakeLeaf(draft, {.dtype = DType::kF64, .shape = Shape{2, 3}});
  if (x == kNoValue) return;
  if (draft.source().Chance(50) && draft.options().Has(Opcode::kExpand)) {
    const ValueId wide =
        draft.Op(Opcode::kExpand, {x}, {{Key::kShape, std::vector<int64_t>{2, 2, 3}}});
    if (wide != kNoValue) draft.Write(Opcode::kNegInPlace, {wide});
  } else if (draft.options().Has(Opcode::kTranspose) && draft.options().Has(Opcode::kView)) {
    const ValueId turned =
        draft.Op(Opcode::kTranspose, {x}, {{Key::kDims, std::vector<int64_t>{0, 1}}});
    if (turned != kNoValue)
      draft.Op(Opcode::kView, {turned}, {{Key::kShape, std::vector<int64_t>{6}}});
  }
}

// A view made without grad mode, written with it.
void AddNoGradView(Draft& draft) {
  if (!draft.options().Has(Opcode::kClone) || !draft.options().Has(Opcode::kReshape)) return;
  const ValueId x = draft.PickDifferentiable();
  const ValueId base = x == kNoValue ? kNoValue : draft.Op(Opcode::kClone, {x});
  if (base == kNoValue) return;
  draft.BeginNoGrad();
  const Shape shape = draft.ShapeOf(base);
  const ValueId view = draft.Op(Opcode::kReshape, {base},
                                {{Key::kShape, std::vector<int64_t>(shape.begin(), shape.end())}});
  draft.EndNoGrad();
  if (view != kNoValue) draft.Write(Opcode::kMulInPlace, {view, x});
}

void AddNegativePowerOrNoGradView(Draft& draft) {
  draft.source().Chance(50) ? AddNegativePower(draft) : AddNoGradView(draft);
}

// An error listed twice is made twice as often.
constexpr void (*kErrors[])(Draft&) = {AddWrongSeed,
                                       AddWrongSeed,
                                       AddWrongRoot,
                                       AddFreed,
                                       AddFreed,
                                       AddLeafInPlace,
                                       AddVersion,
                                       AddUnused,
                                       AddBadHook,
                                       AddFailureBesideWork,
                                       AddNegativePowerOrNoGradView,
                                       AddBadIndex,
                                       AddBadRow,
                                       AddBadMask,
                                       AddBadSparse,
                                       AddBadView};

}  // namespace

void AddError(Draft& draft) { draft.Pick(Choice::kError, kErrors)(draft); }

void AddSurvivedError(Draft& draft) {
  const int before = draft.num_values();
  if (!draft.Begin(twingrad::program::RegionKind::kTry)) return;
  const bool rounds = draft.swarm().narrows() && draft.rounding();  // see Generate
  const bool nan = draft.options().Has(Feature::kAnomaly) && !rounds && draft.source().Chance(20);
  if (nan) draft.Mark(Feature::kAnomaly);
  nan ? AddNanGradient(draft) : AddError(draft);
  draft.Add(Opcode::kEnd, {});
  draft.Forget(before);
}

}  // namespace twingrad::generators
