#include "proptests/generators/square.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/base/float_format.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/operation.h"

namespace twingrad::generators {
namespace {

constexpr int64_t kMostElements = 18;  // of an operand
constexpr int kMostSize = 3;           // of elements: 2^this

enum class Kind : uint8_t { kRegular, kAny, kSingular };

// One matrix: 4 or more on the diagonal of regular ones, at most 1 elsewhere.
std::vector<double> Elements(Source& source, int64_t n, Kind kind, bool positive) {
  std::vector<double> elements;
  const double scale = source.Chance(15) ? 1.0 / 3 : source.Chance(30) ? 0.25 : 1;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double x = static_cast<double>(source.Between(kind == Kind::kAny ? -2 : -1, 1));
      if (kind == Kind::kAny && source.Chance(30)) x = 2;
      if (kind == Kind::kRegular && i == j) {
        x = static_cast<double>(source.Between(4, 6));
        if (!positive && source.Chance(30)) x = -x;
      }
      if (kind == Kind::kSingular && i == n - 1) x = 0;
      elements.push_back(x * scale);
    }
  }
  return elements;
}

}  // namespace

ValueId MakeSquares(Draft& draft, Opcode op) {
  Source& source = draft.source();
  const int64_t n = source.Chance(4) ? 0 : source.Between(1, 3);
  Shape shape = {n, n};
  int64_t count = 1;
  if (source.Chance(25)) {
    count = source.Chance(15) ? 0 : source.Between(1, 2);
    shape.insert(shape.begin(), count);
  }
  // Mostly those of the latest value, so that operands fit together.
  const int last = draft.num_values() - 1;
  const bool as_last = last >= 0 && draft.IsFloating(last) && source.Chance(90);
  const DType dtype = as_last             ? draft.DTypeOf(last)
                      : source.Chance(50) ? DType::kF64
                                          : AnyShortFloat(draft);
  const DeviceIndex device = last < 0 ? twingrad::program::kCpu : draft.DeviceOf(last);
  std::vector<double> data;
  for (int64_t k = 0; k < count; ++k) {
    const Kind kind = source.Chance(op == Opcode::kCholesky ? 94 : 85) ? Kind::kRegular
                      : source.Chance(50)                              ? Kind::kAny
                                                                       : Kind::kSingular;
    const std::vector<double> matrix = Elements(source, n, kind, op == Opcode::kCholesky);
    data.insert(data.end(), matrix.begin(), matrix.end());
  }
  for (double& x : data) x = twingrad::Rounded(x, twingrad::FormatOf(dtype));
  return draft.Leaf({dtype, shape}, twingrad::program::FloatBits(data), source.Chance(85), device,
                    {kMostSize, -40, false});
}

ValueId ApplySquares(Draft& draft, ValueId x) {
  Source& source = draft.source();
  if (!draft.rounding()) return x;
  std::vector<Opcode> ops;
  for (const Opcode op :
       {Opcode::kInverse, Opcode::kDet, Opcode::kSolveTriangular, Opcode::kCholesky}) {
    if (draft.options().Has(op)) ops.push_back(op);
  }
  if (ops.empty()) return x;
  const Opcode op = source.Pick(ops);
  const auto fits = [&](ValueId v) {
    const Shape& shape = draft.ShapeOf(v);
    return shape.size() >= 2 && shape.back() == shape[shape.size() - 2] && shape.back() <= 4 &&
           draft.IsFloating(v) && draft.NumElements(v) <= kMostElements &&
           draft[v].range.high <= kMostSize;
  };
  const ValueId a = fits(x) ? x : MakeSquares(draft, op);
  if (a == kNoValue) return x;
  if (op != Opcode::kSolveTriangular) return OrSelf(draft.Op(op, {a}), x);
  Shape sides = draft.ShapeOf(a);
  if (source.Chance(70)) sides.back() = source.Between(0, 2);
  const ValueId b = Fellow(draft, a, sides);
  if (b == kNoValue || draft[b].range.high > kMostSize) return x;
  Attributes attributes;
  if (source.Chance(50)) attributes.push_back({Key::kUpper, true});
  return OrSelf(draft.Op(op, {a, b}, std::move(attributes)), x);
}

}  // namespace twingrad::generators
