// OpFacts: what generators and witnesses know of an op beyond its form: how its derivative depends
// on its operands, how its numbers behave, and what its node saves.
//
//   SignatureOf(Opcode::kTanh).facts   // {kCurved, kUnit, kSavesResult}
//
// The facts are a column of the signature table (statement_table.h). No engine may read them, or it
// would be checked against its own source. An in-place op has the facts of the op that it performs
// (Signature::performs); Signature::SavedBy() accounts for what it saves differently.

#pragma once

#include <cstdint>

namespace twingrad::program {

// How the derivative depends on the operands.
enum class Dependence : uint8_t {
  kLinear,    // on nothing that has a gradient (piecewise linear ops too: relu, abs, maximum)
  kBilinear,  // linear in each of the two operands: the derivative of one is the other
  kQuotient,  // linear in the first of two operands
  kAddmm,     // a + b c: linear in a, bilinear in b and c
  kAffine,    // a b + c: bilinear in a and b, linear in c
  kCurved,    // on every operand that has a gradient
};

// How the numbers of the result follow from those of the operands.
enum class Numbers : uint8_t {
  // Exact where the operands are, unless a result needs more digits than its type has.
  kSame,  // the first operand's elements, or some of them
  kNegated,
  kClipped,    // relu
  kMagnitude,  // abs
  kSign,
  kClamped,
  kPadded,  // those of the first operand, and small constants
  kIndices,
  kSum,
  kDifference,
  kGreatest,
  kEither,  // elements of all operands that a gradient can flow to
  kProduct,
  kSecond,  // the second operand's elements
  kZero,
  kSumOver,      // sums over what is reduced
  kProductOver,  // products over what is reduced
  kCumulated,
  kScattered,
  kMatmul,
  kAddmm,
  kAddcmul,
  // Exact in some cases only.
  kPower,  // for small exponents that are not negative
  kCast,   // to integers and bool, and of what f32 holds
  kMeanOver,
  kQuotient,
  kSquaredDifference,
  kSquare,
  // Rounded.
  kExponential,
  kSignedExponential,  // of magnitudes like those of exp
  kLogarithm,
  kRoot,
  kUnit,         // in [-1, 1]
  kSigmoid,      // in (0, 1)
  kProbability,  // in (0, 1), summing to 1
  kLogSum,
  kBetween,    // about as large as the operands
  kUnbounded,  // of any size near a pole or the end of a domain
  kAngle,      // in [-pi, pi]
  kGated,      // no greater than the operand's magnitude
  kBent,       // about as large as the operand, with a kink
  kSpread,     // squares of differences
};

// Whether the result is rounded whatever the operands are.
constexpr bool Rounds(Numbers numbers) { return numbers >= Numbers::kExponential; }

// What a node saves, as a set of bits. Writing a saved variable in place makes the node's backward
// fail.
using Saves = uint32_t;
inline constexpr Saves kSavesNothing = 0;
inline constexpr Saves kSavesA = 1;  // the operands, from the first
inline constexpr Saves kSavesB = 2;
inline constexpr Saves kSavesC = 4;
inline constexpr Saves kSavesD = 8;
inline constexpr Saves kSavesE = 16;
inline constexpr Saves kSavesOperands = 31;  // all of these
inline constexpr Saves kSavesAForB = 32;     // a, where b has a gradient
inline constexpr Saves kSavesBForA = 64;
inline constexpr Saves kSavesResult = 128;
inline constexpr Saves kSavesResultForB = 256;
// Something of its own, which no statement can write unless it is given as a second result
// (Signature::index_op).
inline constexpr Saves kSavesOwn = 512;
inline constexpr Saves kSavesBForB = 1024;

// Which operands have a finite result, of no great size.
enum class Takes : uint8_t {
  kAll,
  kSmall,     // magnitudes of at most 2^4
  kPositive,  // above 0
  kUnit,      // from -1 to 1
  kAboveOne,
};

struct OpFacts {
  Dependence dependence = Dependence::kLinear;
  Numbers numbers = Numbers::kSame;
  Saves saves = kSavesNothing;
  // What PyTorch saves in addition, although no derivative needs it.
  Saves pytorch_saves = kSavesNothing;
  Takes takes = Takes::kAll;
};

}  // namespace twingrad::program
