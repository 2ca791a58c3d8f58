#include "autograd/reference/primitives.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "autograd/reference/primitive_row.h"
#include "autograd/reference/result.h"

namespace twingrad::reference {
Array* NewArray(Arena& arena, DType dtype, const Shape* shape, int32_t size) {
  Array* array = arena.New(Array{dtype, size, shape});
  if (IsFloating(dtype)) {
    array->v = arena.Allocate<double>(size);
  } else {
    array->i = arena.Allocate<int64_t>(size);
  }
  return array;
}

program::TensorData ContentsOf(const Array& array) {
  program::TensorData data;
  ShowContents(array, data);
  return data;
}

void ShowContents(const Array& array, program::TensorData& data) {
  data.dtype = array.dtype;
  data.shape = *array.shape;
  if (!IsFloating(array.dtype)) return data.bits.assign(array.i, array.i + array.size);
  data.bits.resize(array.size);
  std::transform(array.v, array.v + array.size, data.bits.begin(), [](double v) {
    return std::isnan(v) ? uint64_t{0x7ff8000000000000} : std::bit_cast<uint64_t>(v);
  });
}

const Array* ArrayFromBits(Arena& arena, DType dtype, const Shape* shape,
                           const program::Bits& bits) {
  Array* array = NewArray(arena, dtype, shape, static_cast<int32_t>(bits.size()));
  void* elements = IsFloating(dtype) ? static_cast<void*>(array->v) : array->i;
  if (!bits.empty()) std::memcpy(elements, bits.data(), bits.size() * sizeof(uint64_t));
  return array;
}

const Array* Filled(Arena& arena, DType dtype, const Shape* shape, int32_t size, double value) {
  Array* array = NewArray(arena, dtype, shape, size);
  for (int32_t i = 0; i < size; ++i) {
    if (IsFloating(dtype)) {
      array->v[i] = value;
    } else {
      array->i[i] = static_cast<int64_t>(value);
    }
  }
  return array;
}

const Array* Reshaped(Arena& arena, const Array* array, const Shape* shape) {
  if (array->shape == shape) return array;
  Array copy = *array;
  copy.shape = shape;
  return arena.New(copy);
}

const Array* Gathered(Arena& arena, const Array* array, const IndexMap& map, const Shape* shape) {
  if (map.identity() && map.size == array->size) return Reshaped(arena, array, shape);
  Array* result = NewArray(arena, array->dtype, shape, map.size);
  if (array->e != nullptr) result->e = arena.Allocate<double>(map.size);
  for (int32_t i = 0; i < map.size; ++i) {
    const int32_t from = map[i];
    if (array->v != nullptr) {
      result->v[i] = array->v[from];
    } else {
      result->i[i] = array->i[from];
    }
    if (array->e != nullptr) result->e[i] = array->e[from];
  }
  return result;
}

const RowOfPrimitive kRowOf = [] {
  RowOfPrimitive rows{};
  auto next = rows.begin();
  for (const auto family :
       {BinaryPrimitives(), UnaryPrimitives(), SmoothPrimitives(), SincPrimitive(),
        MovingPrimitives(), GroupPrimitives(), MatrixPrimitives()}) {
    for (const PrimitiveRow& row : family) *next++ = &row;
  }
  return rows;
}();

const Array* Evaluate(Arena& arena, Primitive primitive, const Array* const* in,
                      const PrimitiveArguments& arguments, bool lenient) {
  return RowOf(primitive).value({arena, in, arguments, lenient});
}

const Array* SumOf(Arena& arena, absl::Span<const Array* const> terms, bool lenient) {
  const Array* first = terms[0];
  if (terms.size() == 1) return first;
  Result result(arena, first->dtype, first->shape, first->size);
  for (int32_t i = 0; i < first->size; ++i) {
    SumInAnyOrder sum(FormatOf(first->dtype));
    bool arises = lenient;
    for (const Array* term : terms) {
      sum.Add(term->At(i));
      arises &= !std::isnan(term->At(i).v);
    }
    Number total = sum.Total();
    if (arises && std::isnan(total.v)) total.e = kUnknown;
    result.Set(i, total);
  }
  return result.array();
}

}  // namespace twingrad::reference
