// The forms of the rows of the signature table: a function for each gives what all rows of that
// form share. The operands of a row are counted from a.
//
// Included only by statement_table.h.

#pragma once

#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "autograd/base/error.h"
#include "autograd/program/attribute_table.h"
#include "autograd/program/limits.h"
#include "autograd/program/signature.h"

namespace twingrad::program::table {

using enum DTypeRule;
using enum Format;
using enum Opcode;

// The facts of an op, by the dependence of its derivative.
constexpr OpFacts Linear(Numbers numbers, Saves saves = 0, Saves pytorch_saves = 0) {
  return {Dependence::kLinear, numbers, saves, pytorch_saves};
}
constexpr OpFacts Curved(Numbers numbers, Saves saves, Saves pytorch_saves = 0) {
  return {Dependence::kCurved, numbers, saves, pytorch_saves};
}
constexpr OpFacts Curved(Numbers numbers, Saves saves, Takes takes) {
  return {Dependence::kCurved, numbers, saves, kSavesNothing, takes};
}

// How many operands or results a statement has.
struct Count {
  uint16_t least, most;
  constexpr Count(int number) : Count(number, number) {}
  constexpr Count(int from, int to)
      : least(static_cast<uint16_t>(from)), most(static_cast<uint16_t>(to)) {}
};
inline constexpr int kMany = kMaxOperands;
inline constexpr int kFew = kMaxCustomOperands;
inline constexpr uint32_t kIndicesB = 0b10;  // operand b holds indices
// The operands after a, and after b, hold indices of one dimension each, or the first of them a
// mask.
inline constexpr uint32_t kIndicesAfterA = 0b1110;
inline constexpr uint32_t kIndicesAfterB = 0b11100;

// May give a second result: what `index_op` gives.
constexpr Signature WithIndices(Opcode index_op, Signature row) {
  row.max_results = 2;
  row.index_op = index_op;
  return row;
}
// An op with one result. A gradient can flow to every operand but indices, unless the result
// itself is indices.
constexpr Signature Computed(Category category, Opcode op, std::string_view name, Count operands,
                             OpFacts facts, DTypeRule dtypes,
                             absl::Span<const AttributeSpec> attributes, std::string_view doc,
                             uint32_t indices = 0) {
  const uint32_t differentiable =
      facts.numbers == Numbers::kIndices ? 0 : ((1u << operands.most) - 1) & ~indices;
  return {op,  name,  category, operands.least, operands.most,
          1,   1,     dtypes,   differentiable, attributes,
          doc, facts, op,       indices};
}
constexpr Signature Elementwise(Opcode op, std::string_view name, int operands, OpFacts facts,
                                DTypeRule dtypes, std::string_view doc) {
  return Computed(Category::kElementwise, op, name, operands, facts, dtypes, kNone, doc);
}
constexpr Signature Reduction(Opcode op, std::string_view name, OpFacts facts, DTypeRule dtypes,
                              std::string_view doc) {
  return Computed(Category::kReduction, op, name, 1, facts, dtypes, kReductionKeys, doc);
}
// max, min and their indices.
constexpr Signature Extreme(Opcode op, std::string_view name, OpFacts facts, std::string_view doc) {
  return Computed(Category::kReduction, op, name, 1, facts, kNumeric, kExtremeKeys, doc);
}
// a plus a product of b and c.
constexpr Signature AddedProduct(Opcode op, std::string_view name, Numbers numbers,
                                 std::string_view doc) {
  return Computed(Category::kMatmul, op, name, 3, {Dependence::kAddmm, numbers, kSavesB | kSavesC},
                  kNumeric, kNone, doc);
}
// Over windows of the last dimensions.
constexpr Signature Pool(Opcode op, std::string_view name, OpFacts facts, std::string_view doc) {
  return Computed(Category::kReduction, op, name, 1, facts, kFloating, kPoolKeys, doc);
}
constexpr Signature AvgPool(Opcode op, std::string_view name) {
  return Pool(op, name, Linear(Numbers::kMeanOver, kSavesNothing, kSavesA),
              "the mean of each window of kernel= entries, with padding= zeros around a");
}
constexpr Signature MaxPool(Opcode op, Opcode index_op, std::string_view name) {
  return WithIndices(
      index_op,
      Pool(op, name, Linear(Numbers::kSame, kSavesOwn, kSavesA),
           "the first of the greatest of each window of kernel= entries, or the first NaN"));
}
constexpr Signature MaxPoolIndices(Opcode op, std::string_view name) {
  return Pool(op, name, Linear(Numbers::kIndices),
              "where the max_pool of this rank takes each from, counted in its plane, i64");
}
constexpr Signature Convolution(Opcode op, std::string_view name) {
  return Computed(
      Category::kMatmul, op, name, 2,
      {Dependence::kBilinear, Numbers::kMatmul, kSavesAForB | kSavesBForA, kSavesA | kSavesB},
      kFloating, kConvolutionKeys,
      "sums of a's windows times each b[O,C/groups,K..]; a is [N,C,..] or [C,..], "
      "with padding= zeros around it");
}
// A row with other attributes than those of its form.
constexpr Signature With(Signature row, absl::Span<const AttributeSpec> attributes,
                         std::string_view doc) {
  row.attributes = attributes;
  row.doc = doc;
  return row;
}
// Over windows that share the last dimensions out.
constexpr Signature Adaptive(Signature pool) {
  return With(pool, kShapeKeys,
              "the same without kernel=, of windows that share a out among shape= results");
}
constexpr Signature Transposed(Opcode op, std::string_view name) {
  return With(Convolution(op, name), kTransposedKeys,
              "what the convolution of this rank by b[C,O/groups,K..] makes a[N,C,..] or [C,..] "
              "of, transposed; output_padding= is less than stride=");
}
// Planes of other sizes.
constexpr Signature Nearest(Opcode op, std::string_view name) {
  return Computed(
      Category::kRearrange, op, name, 1, Linear(Numbers::kSame), kFloating, kShapeKeys,
      "planes of shape=: entry i is a's at the whole part of i times its size by shape=");
}
constexpr Signature Interpolated(
    Opcode op, std::string_view name,
    std::string_view doc =
        "planes of shape=, linear between the middles of a's entries, or with "
        "align_corners=1 with corners on corners") {
  return Computed(Category::kRearrange, op, name, 1, Linear(Numbers::kBetween), kFloating,
                  kCornersKeys, doc);
}
constexpr Signature Rearranged(Opcode op, std::string_view name, Count operands, OpFacts facts,
                               DTypeRule dtypes, absl::Span<const AttributeSpec> attributes,
                               std::string_view doc, uint32_t indices = 0) {
  return Computed(Category::kRearrange, op, name, operands, facts, dtypes, attributes, doc,
                  indices);
}
constexpr Signature ViewScatter(Opcode op, std::string_view name,
                                absl::Span<const AttributeSpec> attributes, std::string_view doc) {
  return Rearranged(op, name, 2, Linear(Numbers::kEither), kAny, attributes, doc);
}
// Of a sparse operand, after which its indices count as the next one: see sparse.h.
constexpr Signature OfSparse(Opcode op, std::string_view name, OpFacts facts,
                             absl::Span<const AttributeSpec> attributes, std::string_view doc) {
  return Rearranged(op, name, 1, facts, kNumeric, attributes, doc, kIndicesB);
}
constexpr Signature Scan(Opcode op, std::string_view name, OpFacts facts, DTypeRule dtypes,
                         std::string_view doc) {
  return Computed(Category::kScan, op, name, 1, facts, dtypes, kDimKeys, doc);
}
// a less its mean, by its deviation; weights times and biases plus that may come after it.
constexpr Signature Norm(Opcode op, std::string_view name, Saves pytorch_saves,
                         absl::Span<const AttributeSpec> attributes, std::string_view doc) {
  return Computed(Category::kNorm, op, name, {1, 3},
                  Curved(Numbers::kBetween, kSavesA | kSavesBForA, pytorch_saves), kFloating,
                  attributes, doc);
}
constexpr Signature View(Opcode op, std::string_view name,
                         absl::Span<const AttributeSpec> attributes, std::string_view doc) {
  return Computed(Category::kView, op, name, 1, Linear(Numbers::kSame), kAny, attributes, doc);
}
// Views of all parts of a tensor, in order: see parts.h.
constexpr Signature Parts(Opcode op, std::string_view name,
                          absl::Span<const AttributeSpec> attributes, std::string_view doc) {
  Signature row = View(op, name, attributes, doc);
  row.max_results = kFew;
  return row;
}
constexpr Signature Copy(Opcode op, std::string_view name, Numbers numbers,
                         absl::Span<const AttributeSpec> attributes, std::string_view doc) {
  return Computed(Category::kCopy, op, name, 1, Linear(numbers), kAny, attributes, doc);
}
// No gradient can flow to the first operand.
constexpr Signature WithCondition(Signature row) {
  row.differentiable &= ~1u;
  return row;
}
// A statement with a meaning of its own; `differentiable` as in Signature.
constexpr Signature Plain(Opcode op, std::string_view name, Category category, Count operands,
                          Count results, absl::Span<const AttributeSpec> attributes,
                          std::string_view doc, uint32_t differentiable = 0) {
  return {op,
          name,
          category,
          operands.least,
          operands.most,
          results.least,
          results.most,
          kAny,
          differentiable,
          attributes,
          doc,
          {},
          op};
}
// Operands, types and facts are those of the op that it performs: see WithPerformed.
constexpr Signature InPlace(Opcode op, std::string_view name, Opcode performs,
                            std::string_view doc) {
  Signature row = Plain(op, name, Category::kInPlace, 0, 0, kNone, doc);
  row.performs = performs;
  return row;
}
// In place, without an op that it performs.
constexpr Signature Overwrite(Opcode op, std::string_view name, int operands, Numbers numbers,
                              uint32_t differentiable, std::string_view doc) {
  Signature row = Plain(op, name, Category::kInPlace, operands, 0, kNone, doc, differentiable);
  row.facts.numbers = numbers;
  return row;
}

}  // namespace twingrad::program::table
