#include "proptests/generators/leaf.h"

#include <bit>
#include <limits>
#include <utility>

#include "autograd/base/float_format.h"
#include "autograd/program/leaf_data.h"

namespace twingrad::generators {
namespace {

// One element as a double, which the caller fits to the type.
double MakeElement(Source& source, Content content) {
  static constexpr double kSmall[] = {0, 1, 2, -1, 0, 3, -2, -3, 0, 1, 2, -1};
  static constexpr double kPowers[] = {1, 2, -1, 0.5, -2, 1, 2, -0.5};
  static constexpr double kPositive[] = {1, 2, 0.5, 3, 4, 1.5, 1, 2};
  static constexpr double kFractions[] = {0.5, 1.25, -0.75, 0, 2.5, -1.5, 0.25, -2};
  static constexpr double kLarge[] = {100, -100, 1000, -1000, 1, 0, -1, 100};
  static constexpr double kDecimals[] = {0.1, -0.3, 0.7, 1.1, -1.9, 0.9, 2.3, -0.6};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kDenormal = std::numeric_limits<double>::denorm_min();
  static constexpr double kExponents[] = {0, 1, 2, 0.5, -1, 3, 0, -2};
  static constexpr double kHuge[] = {1e3, -1e3, 1e300, -1e300, 100, -100, 1, 750, -750, -1};
  static constexpr double kTiny[] = {0, -0.0, 1e-300, -1e-300, kDenormal, -1e-310, 1, 1e-30};
  static constexpr double kNotFinite[] = {kInfinity, 1, -kInfinity, 0, -1, kNan, 2, 0.5};
  switch (content) {
    case Content::kExponents:
      return source.Pick(kExponents);
    case Content::kHuge:
      return source.Pick(kHuge);
    case Content::kTiny:
      return source.Pick(kTiny);
    case Content::kNotFinite:
      return source.Pick(kNotFinite);
    case Content::kZeroOneTwo:
      return static_cast<double>(source.Below(3));
    case Content::kPowersOfTwo:
      return source.Pick(kPowers);
    case Content::kPositive:
      return source.Pick(kPositive);
    case Content::kFractions:
      return source.Pick(kFractions);
    case Content::kLarge:
      return source.Pick(kLarge);
    case Content::kDecimals:
      return source.Pick(kDecimals);
    default:
      return source.Pick(kSmall);
  }
}

Range RangeOfContent(Content content) {
  switch (content) {
    case Content::kZeroOneTwo:
      return {1, 0};
    case Content::kPowersOfTwo:
      return {1, -1, true, false, true};
    case Content::kPositive:
      return {2, -1, true, true, false};
    case Content::kFractions:
      return {2, -2};
    case Content::kLarge:
      return {10, 0};
    case Content::kDecimals:
      return {2, -50, false, false, false};
    case Content::kExponents:
      return {2, -1};
    case Content::kHuge:
    case Content::kTiny:
    case Content::kNotFinite:
      return {12, -50, false, false, false};  // ops may be built on them all the same
    default:
      return {2, 0};
  }
}

uint64_t ToBits(double element, DType dtype) {
  if (dtype == DType::kBool) return element != 0 ? 1 : 0;
  if (twingrad::IsInteger(dtype)) return static_cast<uint64_t>(static_cast<int64_t>(element));
  return dtype == DType::kF64 ? std::bit_cast<uint64_t>(element) : FittedBits(element, dtype);
}

bool HoldsIntegers(Content content) {
  switch (content) {
    case Content::kAny:
    case Content::kSmall:
    case Content::kZeroOneTwo:
    case Content::kPositive:  // a half becomes 0
    case Content::kLarge:
      return true;
    case Content::kPowersOfTwo:
    case Content::kFractions:
    case Content::kDecimals:
    case Content::kExponents:
    case Content::kHuge:
    case Content::kTiny:
    case Content::kNotFinite:
      return false;
  }
  return false;
}

Content ChooseContent(Draft& draft) {
  if (MayBeExtreme(draft) && draft.rounding() && draft.source().Chance(4)) {
    draft.Mark(Feature::kNumbers);
    return draft.source().Pick(
        {Content::kHuge, Content::kTiny, Content::kHuge, Content::kNotFinite});
  }
  const uint64_t draw = draft.Below(Choice::kContent, 20);
  if (draw < 11) return Content::kSmall;
  if (draw < 13) return Content::kZeroOneTwo;
  if (draw < 15) return Content::kPowersOfTwo;
  if (draw < 17) return draft.rounding() ? Content::kPositive : Content::kFractions;
  if (draw < 18) return Content::kPositive;
  if (draft.rounding()) return Content::kDecimals;
  if (draw >= 19 || !draft.options().Has(Feature::kNumbers)) return Content::kSmall;
  draft.Mark(Feature::kNumbers);
  return Content::kLarge;
}

DeviceIndex ChooseDevice(Draft& draft) {
  // Most leaves share the device of the latest value, so that operands fit together.
  Source& source = draft.source();
  if (!draft.options().Has(Feature::kDevices)) return twingrad::program::kCpu;
  const int last = draft.num_values() - 1;
  if (last >= 0 && !source.Chance(4)) return draft.DeviceOf(last);
  if (!source.Chance(draft.options().on_devices ? 90 : 20)) return twingrad::program::kCpu;
  draft.Mark(Feature::kDevices);
  return static_cast<DeviceIndex>(source.Below(draft.options().devices));
}

DType ChooseDType(Draft& draft, bool grad) {
  if (draft.forced_dtype()) return *draft.forced_dtype();
  Source& source = draft.source();
  const int last = draft.num_values() - 1;
  if (last >= 0 && draft.IsFloating(last) && !source.Chance(3)) return draft.DTypeOf(last);
  if (!draft.options().Has(Feature::kNumbers)) return DType::kF64;
  DType dtype = DType::kF64;
  if (!grad && source.Chance(6)) {
    dtype = source.Chance(30) ? DType::kBool : AnyInteger(draft);
  } else if (source.Chance(25)) {
    dtype = AnyShortFloat(draft);
  }
  if (dtype != DType::kF64) draft.Mark(Feature::kNumbers);
  return dtype;
}

}  // namespace

DType AnyShortFloat(Draft& draft) {
  static constexpr DType kShort[] = {DType::kF32, DType::kF16,  DType::kF32,
                                     DType::kF32, DType::kBF16, DType::kF32};
  const DType dtype = draft.source().Pick(kShort);
  return draft.options().Has(dtype) ? dtype : DType::kF32;
}

DType AnyInteger(Draft& draft) {
  const DType dtype = draft.source().Chance(33) ? DType::kI32 : DType::kI64;
  return draft.options().Has(dtype) ? dtype : DType::kI64;
}

uint64_t FittedBits(double element, DType dtype) {
  return std::bit_cast<uint64_t>(twingrad::Fitted(element, twingrad::FormatOf(dtype)));
}

bool MayBeExtreme(const Draft& draft) {
  // Whether what follows from it is NaN may hang on rounding, which anomaly mode makes an error.
  return draft.swarm().narrows() && draft.options().Has(Feature::kNumbers) &&
         !draft.options().Has(Feature::kAnomaly);
}

Shape MakeShape(Draft& draft) {
  const int max_rank = draft.options().max_rank;
  const uint64_t draw = draft.Below(Choice::kRank, 100);
  int rank = draw < 35 ? 0 : draw < 65 ? 1 : draw < 88 ? 2 : draw < 96 ? 3 : 4;
  if (rank > max_rank) rank = max_rank;
  Shape shape;
  int64_t elements = 1;
  for (int i = 0; i < rank; ++i) {
    static constexpr int64_t kSizes[] = {2, 1, 3, 2, 1, 4, 3, 2, 2, 3,
                                         1, 2, 3, 2, 1, 2, 3, 2, 0, 2};
    int64_t size = draft.Pick(Choice::kSize, kSizes);
    if (elements * size > draft.options().max_elements) size = 1;
    elements *= size;
    shape.push_back(size);
  }
  return shape;
}

Shape MakeBroadcastable(Draft& draft, const Shape& shape) {
  Source& source = draft.source();
  const uint64_t draw = source.Below(10);
  if (draw < 6) return shape;
  if (draw < 8) return {};
  Shape result(shape.begin() + static_cast<int64_t>(source.Below(shape.size() + 1)), shape.end());
  for (int64_t& size : result) {
    if (source.Chance(40)) size = 1;
  }
  return result;
}

ValueId MakeLeaf(Draft& draft, const LeafRequest& request) {
  Source& source = draft.source();
  TensorType type;
  type.dtype = request.dtype ? *request.dtype : ChooseDType(draft, request.grad);
  type.shape = request.shape ? *request.shape : MakeShape(draft);
  const DeviceIndex device = request.device ? *request.device : ChooseDevice(draft);
  const bool grad = request.grad && twingrad::IsFloating(type.dtype);
  const int64_t elements = twingrad::program::NumElements(type.shape);
  if (request.content == Content::kAny && elements > 1 && source.Chance(6)) {
    return draft.SeededLeaf(type, static_cast<int64_t>(source.Below(256)), grad, device);
  }
  Content content = request.content == Content::kAny ? ChooseContent(draft) : request.content;
  if (!twingrad::IsFloating(type.dtype) && !HoldsIntegers(content)) content = Content::kSmall;
  Bits data;
  data.reserve(static_cast<size_t>(elements));
  // Equal elements in different leaves: repeat a short pattern rather than draw each.
  const bool plain = source.Chance(12);
  for (int64_t i = 0; i < elements; ++i) {
    const double element = plain ? 2 - static_cast<double>(i % 2) : MakeElement(source, content);
    data.push_back(ToBits(element, type.dtype));
  }
  Range range = plain ? Range{1, 0, true, true, true} : RangeOfContent(content);
  if (!twingrad::IsFloating(type.dtype)) range.power_of_two = range.positive = false;
  return draft.Leaf(type, std::move(data), grad, device, range);
}

ValueId Fellow(Draft& draft, ValueId x, const Shape& shape, Content content) {
  const DType dtype = draft.DTypeOf(x);
  const DeviceIndex device = draft.DeviceOf(x);
  if (content == Content::kAny && draft.source().Chance(60)) {
    const ValueId found = draft.Pick([&](ValueId v) {
      return draft.DTypeOf(v) == dtype && draft.DeviceOf(v) == device &&
             draft.ShapeOf(v) == shape && draft.IsRoomy(draft[v].range, dtype);
    });
    if (found != kNoValue) return found;
  }
  return MakeLeaf(draft, {.dtype = dtype,
                          .shape = shape,
                          .device = device,
                          .grad = draft.source().Chance(70),
                          .content = content});
}

}  // namespace twingrad::generators
