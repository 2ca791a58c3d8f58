// The primitives that the twin lowers every statement to, on dense row-major arrays.
//
// Elementwise maps, reading through an index map (all views and broadcasts), adding through one
// (sums, matrix products, the transposes of views), and overwriting places (in-place writes through
// views). Arrays are immutable once made, so that a saved array is just a pointer. Derivatives are
// in calculus.h, written with these same primitives.

#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/reference/arena.h"
#include "autograd/reference/index_map.h"
#include "autograd/reference/numbers.h"

namespace twingrad::reference {

// In families, each with its table of rows in the file that the comment names (primitive_row.h).
enum class Primitive : uint8_t {
  // binary_primitives.cc
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kPower,
  kMaximum,
  kMinimum,
  kLogAddExp,
  kAtan2,
  kXLogY,
  kFmod,
  kRemainder,
  kSquaredDifference,
  // unary_primitives.cc
  kNegate,
  kExp,
  kLog,
  kSqrt,
  kSin,
  kCos,
  kTanh,
  kSigmoid,
  kRelu,
  kAbs,
  kSign,
  kClamp,  // to [low, high]
  // smooth_primitives.cc
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kAsinh,
  kAcosh,
  kAtanh,
  kErf,
  kErfc,
  kExpm1,
  kLog1p,
  kLog2,
  kLog10,
  kExp2,
  kRsqrt,
  kReciprocal,
  kSquare,
  kSilu,
  kSoftplus,
  kGelu,
  kGeluTanh,
  // sinc_primitive.cc
  kSinc,  // its derivative number count - 1
  // moving_primitives.cc
  kSelect,       // in[2] ? in[0] : in[1]
  kWeigh,        // times in[1], which no gradient reaches
  kDivideCount,  // by the number of elements that meet in a mean
  kParting,      // in[0]; what formulas make of an infinite gradient differs
  kCast,
  kGather,      // out[i] = in[0][map[i]]
  kScatterAdd,  // out[map[i]] += in[0][i]
  kOverwrite,   // in[0], with in[1] at the places of map
  // group_primitives.cc
  kExtreme,     // of each group: the greatest, or the least
  kVariance,    // of each group: the mean of squared distances to its mean
  kNormalize,   // within each group: less its mean, by the root of its variance and low
  kNorm,        // of each group: the root of the sum of squares
  kDeviation,   // of each group: the root of its variance
  kLogSumExp,   // of each group
  kSoftmax,     // within each group
  kLogSoftmax,  // within each group
  // matrix_primitives.cc
  kInverse,   // of each matrix
  kSolve,     // x of in[0] x = in[1], of matrices in[0] of which a triangle counts
  kCholesky,  // of each matrix: its lower factor
  kEnd,       // none: one past the last
};

// Elements of one type. Integers and bools are in `i`, floats in `v`; `e` holds the bounds of
// numbers.h, null when all are 0 (an integer is exact or unknown).
struct Array {
  DType dtype = DType::kF64;
  int32_t size = 0;
  const Shape* shape = nullptr;
  double* v = nullptr;
  int64_t* i = nullptr;
  double* e = nullptr;

  double Error(int32_t at) const {
    if (e == nullptr) return 0;
    return e[at] < 0 ? kUnknown : e[at];  // kEitherSign, kOrNan
  }
  Number At(int32_t at) const { return {v[at], Error(at)}; }
  // With kEitherSign.
  Number Signless(int32_t at) const {
    return {v[at], e != nullptr && e[at] == kEitherSign ? kEitherSign : Error(at)};
  }
};

// What a primitive needs beyond its inputs.
struct PrimitiveArguments {
  IndexMap map = {};
  const Shape* shape = nullptr;  // of the result, where it is not that of in[0]
  DType dtype = DType::kF64;     // cast
  int64_t count = 1;             // mean
  bool late = false;             // mean: the gradient is divided by count after it is repeated
  bool picks = false;            // gather: the map comes from indices, which derivatives save too
  bool least = false;            // extreme
  bool upper = false;            // solve: the upper triangle counts, else the lower one
  bool unsaved = false;          // weigh: derivatives keep the weight's shape alone
  bool from_mean = false;        // variance: no engine squares the elements themselves
  // A step of the product of a group, which an engine may multiply, and add the derivatives of, in
  // any order; in some order it may underflow on the way.
  bool in_product = false;
  bool may_underflow = false;
  double low = -kUnknown;  // clamp; normalize: what is added to a variance
  double high = kUnknown;
  bool flat_at_limits = false;  // clamp: in every dialect
};

// Integer pow with a negative exponent, the inverse of a singular matrix, and such.
struct DomainError {};
// Rounding decides whether that is so.
struct UnknownDomain {};
// The result depends on an integer that is not known.
struct UnknownInteger {};

// Evaluates one primitive; with `lenient`, a NaN that arises from numbers (0 * inf) is not
// compared, because mathematically equal formulas differ there.
const Array* Evaluate(Arena& arena, Primitive primitive, const Array* const* in,
                      const PrimitiveArguments& arguments, bool lenient);

// The sum of arrays of one shape in unspecified order; with `lenient` as in Evaluate.
const Array* SumOf(Arena& arena, absl::Span<const Array* const> terms, bool lenient = false);

// New arrays.
Array* NewArray(Arena& arena, DType dtype, const Shape* shape, int32_t size);
const Array* ArrayFromBits(Arena& arena, DType dtype, const Shape* shape,
                           const program::Bits& bits);
const Array* Filled(Arena& arena, DType dtype, const Shape* shape, int32_t size, double value);
// The contents as Program data; every NaN becomes the canonical one.
program::TensorData ContentsOf(const Array& array);
void ShowContents(const Array& array, program::TensorData& data);
// The same elements in another shape.
const Array* Reshaped(Arena& arena, const Array* array, const Shape* shape);
// The elements at these places, in this shape.
const Array* Gathered(Arena& arena, const Array* array, const IndexMap& map, const Shape* shape);

}  // namespace twingrad::reference
