// How both witnesses lower statements that take several primitives, or one with a map.
//
// Written once for an algebra of values: the twin's algebra records steps for the backward walk,
// the dual witness's propagates tangents. An Algebra has
//   Value      Gather(Value, IndexMap, const Shape*), ScatterAdd(Value, IndexMap, const Shape*)
//   Value      Pick, a Gather by indices
//   Value      Overwrite(Value base, Value values, IndexMap)
//   Value      Apply(Primitive, Value, Value = {}, PrimitiveArguments = {})
//   Value      Constant(const Array*)
//   const Array* ArrayOf(Value);  Arena& arena();  const Shape* Keep(Shape);  void NoteTie()
// Each algebra defines derivatives separately. Throws what place_map.h throws, and TooLong.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/program.h"
#include "autograd/reference/index_map.h"
#include "autograd/reference/place_map.h"
#include "autograd/reference/primitives.h"

namespace twingrad::reference {

// Thrown for a product of more factors than a witness multiplies one by one.
struct TooLong {};

template <typename Algebra>
class Composite {
 public:
  using Value = typename Algebra::Value;
  using Opcode = program::Opcode;
  using Key = program::Key;

  Composite(Algebra& algebra, const program::Statement& statement, absl::Span<const Value> in,
            absl::Span<const Shape* const> shapes)
      : algebra_(algebra), statement_(statement), in_(in), shapes_(shapes) {}

  // Whether the statement is one of these; if so, the result is in *out.
  bool Lower(Value* out) { return LowerAlong(out) || LowerGroups(out) || LowerPicks(out); }

 private:
  bool LowerAlong(Value* out) {
    if (statement_.op == Opcode::kClamp) {
      PrimitiveArguments arguments;
      arguments.low = statement_.Get<double>(Key::kMin, -kUnknown);
      arguments.high = statement_.Get<double>(Key::kMax, kUnknown);
      *out = algebra_.Apply(Primitive::kClamp, in_[0], {}, arguments);
      return true;
    }
    if (statement_.op == Opcode::kCat || statement_.op == Opcode::kStack) {
      *out = Join(statement_.op == Opcode::kStack);
      return true;
    }
    if (statement_.op == Opcode::kFlip) {
      const auto dims = statement_.Get<std::vector<int64_t>>(Key::kDims);
      *out = algebra_.Gather(in_[0], FlipMap(arena(), Whole(), dims), shapes_[0]);
      return true;
    }
    if (statement_.op == Opcode::kCumsum) {
      const RunningMaps maps = CumsumMaps(arena(), Whole(), Dim());
      const Value terms = algebra_.Gather(in_[0], maps.from, Vector(maps.from.size));
      *out = algebra_.ScatterAdd(terms, maps.to, shapes_[0]);
      return true;
    }
    if (statement_.op == Opcode::kAddmm) {
      *out = Addmm();
      return true;
    }
    return false;
  }

  bool LowerGroups(Value* out) {
    if (statement_.op == Opcode::kProd) {
      *out = Product();
      return true;
    }
    if (statement_.op == Opcode::kAmax || statement_.op == Opcode::kAmin) {
      *out = OfGroups(Primitive::kExtreme, ReduceMap(arena(), statement_, Whole()));
      return true;
    }
    if (statement_.op == Opcode::kLogsumexp) {
      *out = OfGroups(Primitive::kLogSumExp, ReduceMap(arena(), statement_, Whole()));
      return true;
    }
    if (statement_.op == Opcode::kSoftmax) {
      *out = OfGroups(Primitive::kSoftmax, RowsAlong(Dim()));
      return true;
    }
    if (statement_.op == Opcode::kLogSoftmax) {
      *out = OfGroups(Primitive::kLogSoftmax, RowsAlong(Dim()));
      return true;
    }
    if (statement_.op == Opcode::kMseLoss) {
      *out = Reduced(algebra_.Apply(Primitive::kSquaredDifference, in_[0], in_[1]));
      return true;
    }
    if (statement_.op == Opcode::kCrossEntropy) {
      *out = CrossEntropy();
      return true;
    }
    return false;
  }

  bool LowerPicks(Value* out) {
    const Opcode op = statement_.op;
    if (op == Opcode::kIndexSelect) {
      const int64_t count = shapes_[1]->at(0);
      Shape row(Whole().size() - Dim(), 1), shape = Whole();
      row[0] = shape[Dim()] = count;
      const IndexMap at = BroadcastMap(arena(), row, shape);
      *out = Picked(shape, at);
      return true;
    }
    if (op == Opcode::kGather) {
      *out = Picked(*shapes_[1], {nullptr, Count(*shapes_[1])});
      return true;
    }
    if (op == Opcode::kScatterAdd) {
      *out = AddedTo(in_[0], in_[2],
                     PickMap(arena(), Whole(), *shapes_[1], Dim(), *algebra_.ArrayOf(in_[1]),
                             {nullptr, Count(*shapes_[1])}),
                     Whole());
      return true;
    }
    if (op == Opcode::kSort || op == Opcode::kArgsort) {
      bool tie = false;
      const IndexMap order = OrderMap(arena(), *algebra_.ArrayOf(in_[0]), Dim(),
                                      statement_.Get<bool>(Key::kDescending), &tie);
      *out = Chosen(op == Opcode::kSort, order, shapes_[0], tie);
      return true;
    }
    if (op == Opcode::kMax || op == Opcode::kMin || op == Opcode::kArgmax ||
        op == Opcode::kArgmin) {
      bool tie = false;
      const bool least = op == Opcode::kMin || op == Opcode::kArgmin;
      const IndexMap places = ExtremeMap(arena(), *algebra_.ArrayOf(in_[0]), Dim(), least, &tie);
      Shape shape = Whole();
      shape[Dim()] = 1;
      if (!statement_.Get<bool>(Key::kKeepdim)) shape.erase(shape.begin() + Dim());
      *out = Chosen(op == Opcode::kMax || op == Opcode::kMin, places, algebra_.Keep(shape), tie);
      return true;
    }
    return false;
  }

  // Writes the parts one after another into an array of zeros.
  Value Join(bool stacks) {
    const size_t dim = Dim();
    std::vector<Shape> parts;
    for (const Shape* shape : shapes_) {
      Shape& part = parts.emplace_back(*shape);
      if (stacks) part.insert(part.begin() + dim, 1);
    }
    Shape whole = parts[0];
    for (size_t k = 1; k < parts.size(); ++k) whole[dim] += parts[k][dim];
    const DType dtype = algebra_.ArrayOf(in_[0])->dtype;
    Value joined = algebra_.Constant(Filled(arena(), dtype, algebra_.Keep(whole), Count(whole), 0));
    int64_t start = 0;
    for (size_t k = 0; k < parts.size(); ++k) {
      joined = algebra_.Overwrite(joined, in_[k], PartMap(arena(), parts[k], whole, dim, start));
      start += parts[k][dim];
    }
    return joined;
  }

  // base with each of the terms added at its place, in unspecified order.
  Value AddedTo(const Value& base, const Value& terms, const IndexMap& map, const Shape& shape) {
    const int32_t size = Count(shape), total = size + map.size;
    auto* places = arena().template Allocate<int32_t>(total);
    std::iota(places, places + size, 0);
    for (int32_t i = 0; i < map.size; ++i) places[size + i] = map[i];
    auto* at_end = arena().template Allocate<int32_t>(map.size);
    std::iota(at_end, at_end + map.size, size);
    const DType dtype = algebra_.ArrayOf(base)->dtype;
    Value all = algebra_.Constant(Filled(arena(), dtype, Vector(total), total, 0));
    all = algebra_.Overwrite(all, base, {nullptr, size});
    all = algebra_.Overwrite(all, terms, {at_end, map.size});
    return algebra_.ScatterAdd(all, {places, total}, algebra_.Keep(shape));
  }

  Value Addmm() {
    const MatmulMaps maps = ProductMaps(arena(), *shapes_[1], *shapes_[2]);
    const Shape* products = Vector(maps.left.size);
    const Value left = algebra_.Gather(in_[1], maps.left, products);
    const Value right = algebra_.Gather(in_[2], maps.right, products);
    const Value added = algebra_.Gather(in_[0], BroadcastMap(arena(), Whole(), maps.shape),
                                        algebra_.Keep(maps.shape));
    return AddedTo(added, algebra_.Apply(Primitive::kMultiply, left, right), maps.result,
                   maps.shape);
  }

  // Factor by factor: the first of each group times the second, and so on.
  Value Product() {
    const ReductionMap groups = ReduceMap(arena(), statement_, Whole());
    const Shape* shape = algebra_.Keep(groups.shape);
    const int32_t size = Count(groups.shape);
    const DType dtype = algebra_.ArrayOf(in_[0])->dtype;
    if (groups.count == 0) {  // 1, and a gradient without elements
      return algebra_.Apply(Primitive::kAdd, algebra_.ScatterAdd(in_[0], groups.map, shape),
                            algebra_.Constant(Filled(arena(), dtype, shape, size, 1)));
    }
    if (groups.count > 64) throw TooLong();
    std::vector<int32_t> seen(size, 0);
    std::vector<int32_t*> places;
    for (int64_t k = 0; k < groups.count; ++k) {
      places.push_back(arena().template Allocate<int32_t>(size));
    }
    for (int32_t i = 0; i < groups.map.size; ++i) {
      const int32_t g = groups.map[i];
      places[seen[g]++][g] = i;
    }
    Value product = algebra_.Gather(in_[0], {places[0], size}, shape);
    for (int64_t k = 1; k < groups.count; ++k) {
      product = algebra_.Apply(Primitive::kMultiply, product,
                               algebra_.Gather(in_[0], {places[k], size}, shape));
    }
    return product;
  }

  Value OfGroups(Primitive primitive, const ReductionMap& groups) {
    PrimitiveArguments arguments;
    arguments.map = groups.map;
    arguments.shape = algebra_.Keep(groups.shape);
    arguments.least = statement_.op == Opcode::kAmin;
    return algebra_.Apply(primitive, in_[0], {}, arguments);
  }

  ReductionMap RowsAlong(size_t dim) {
    Shape kept = Whole();
    const int64_t count = kept[dim];
    kept[dim] = 1;
    return {kept, BroadcastMap(arena(), kept, Whole()), count};
  }

  Value CrossEntropy() {
    const size_t classes = Whole().size() - 1;
    const Value logs = OfGroups(Primitive::kLogSoftmax, RowsAlong(classes));
    Shape one = Whole();
    one[classes] = 1;
    const IndexMap places = PickMap(arena(), Whole(), one, classes, *algebra_.ArrayOf(in_[1]),
                                    {nullptr, Count(*shapes_[1])});
    return Reduced(algebra_.Apply(Primitive::kNegate, algebra_.Gather(logs, places, shapes_[1])));
  }

  // Reduces as reduction= says. An engine may compute a mean as a sum times 1 / n or divided by n;
  // the bound covers both.
  Value Reduced(const Value& each) {
    const auto reduction = statement_.Get<std::string>(Key::kReduction);
    if (reduction == "none") return each;
    const Array& array = *algebra_.ArrayOf(each);
    auto* all = arena().template Allocate<int32_t>(array.size);
    std::fill(all, all + array.size, 0);
    const Shape* scalar = algebra_.Keep({});
    const Value sum = algebra_.ScatterAdd(each, {all, array.size}, scalar);
    if (reduction == "sum") return sum;
    Array* share = NewArray(arena(), array.dtype, scalar, 1);
    if (array.size == 0) {  // NaN, and no derivative of it is
      share->v[0] = std::numeric_limits<double>::quiet_NaN();
      return algebra_.Apply(Primitive::kAdd, sum, algebra_.Constant(share));
    }
    const Number part = Divide({1, 0}, {static_cast<double>(array.size), 0}, FormatOf(array.dtype));
    share->v[0] = part.v;
    share->e = arena().template Allocate<double>(1);
    share->e[0] = part.e;
    return algebra_.Apply(Primitive::kWeigh, sum, algebra_.Constant(share));
  }

  Value Picked(const Shape& shape, const IndexMap& at) {
    const IndexMap places = PickMap(arena(), Whole(), shape, Dim(), *algebra_.ArrayOf(in_[1]), at);
    return algebra_.Pick(in_[0], places, algebra_.Keep(shape));
  }

  // The elements at the places, or their coordinates.
  Value Chosen(bool elements, const IndexMap& places, const Shape* shape, bool tie) {
    if (!elements) return algebra_.Constant(CoordinatesOf(arena(), places, Whole(), Dim(), shape));
    if (tie) algebra_.NoteTie();
    return algebra_.Pick(in_[0], places, shape);
  }

  Arena& arena() { return algebra_.arena(); }
  size_t Dim() const { return static_cast<size_t>(statement_.Get<int64_t>(Key::kDim)); }
  const Shape& Whole() const { return *shapes_[0]; }
  const Shape* Vector(int32_t size) { return algebra_.Keep({size}); }

  Algebra& algebra_;
  const program::Statement& statement_;
  absl::Span<const Value> in_;
  absl::Span<const Shape* const> shapes_;
};

}  // namespace twingrad::reference
