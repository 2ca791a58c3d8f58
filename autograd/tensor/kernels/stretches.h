// Walks over strided and broadcast operands for loops that want elements side by side.
//
//   ForEachStretch(out.sizes(), {OperandFor(a, out.sizes())}, [&](const Stretch& s) {
//     Double(s.From<float>(0), s.step[0], z + s.offset, s.count);   // step is 0 or 1
//   });
//
// A stretch is `count` elements that follow each other in a row-major result, from `offset` on, and
// the elements of each operand for them: side by side, or one for all. Operands that do not lie so
// are copied, a part at a time: a transposed matrix by whole lines of the caches. Stretches cover
// the result, in no particular order. Any thread.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "absl/functional/function_ref.h"
#include "autograd/tensor/kernels/processor/loops.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

inline constexpr size_t kMostOperands = 3;
// Fewer elements are sooner treated one by one (ForEachElement) than laid side by side.
inline constexpr int64_t kFewElements = 32;

// What is read: the first element, bytes of one, and its strides for each dimension of the walk.
struct Operand {
  const void* data;
  size_t element;
  Shape strides;
};
// `tensor`, broadcast to `sizes`.
Operand OperandFor(const Tensor& tensor, Ints sizes);

struct Stretch {
  std::array<const void*, kMostOperands> data{};
  std::array<int64_t, kMostOperands> step{};
  int64_t offset = 0;
  int64_t count = 0;

  template <typename T>
  const T* From(size_t operand) const {
    return static_cast<const T*>(data[operand]);
  }
};

void ForEachStretch(Ints sizes, std::initializer_list<Operand> operands,
                    absl::FunctionRef<void(const Stretch&)> function);

// Stretches of one length: each `result_step` after the one before in the result, and `row_step` in
// each operand.
struct Block {
  Stretch first;
  std::array<int64_t, kMostOperands> row_step{};
  int64_t result_step = 0;
  int64_t rows = 1;
  // What the walk reads next of an operand that it copies (processor::RowsOf), or null.
  std::array<const void*, kMostOperands> ahead{};
  std::array<int64_t, kMostOperands> ahead_step{};

  template <typename T>
  processor::RowsOf<T> RowsOf(size_t operand) const {
    return {first.From<T>(operand), first.step[operand], row_step[operand],
            static_cast<const T*>(ahead[operand]), ahead_step[operand]};
  }
  // Of the result of `whole` elements from `result` on.
  template <typename R>
  processor::ResultRows<R> ResultRows(R* result, int64_t whole) const {
    return {result + first.offset, result_step, rows, first.count, whole};
  }
};
// Elements of a tile; few enough to stay in the first cache.
inline constexpr int64_t kTile = 2048;
// Whether the rows of the only operand lie side by side, and are a tile at most.
inline bool IsTile(const Block& block) {
  const int64_t count = block.first.count;
  return block.rows > 1 && block.first.step[0] == 1 && block.row_step[0] == count &&
         block.rows * count <= kTile;
}
// The same, by blocks.
void ForEachBlock(Ints sizes, std::initializer_list<Operand> operands,
                  absl::FunctionRef<void(const Block&)> function);

}  // namespace twingrad::kernels
