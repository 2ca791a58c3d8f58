// The table of statements: for each its name, operands, results, attributes, element types and one
// line of documentation. It holds no formulas: engine and twin define separately what a statement
// computes.
//
// It drives parser, printer, validator, generators, the fuzz dictionary and the table in README.md.
// Constant data; safe from any thread.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/types/span.h"
#include "autograd/program/op_facts.h"
#include "autograd/program/opcode.h"
#include "autograd/program/program.h"

namespace twingrad::program {

enum class Category : uint8_t {
  kLeaf,
  // From here to kInPlace: computed from the operands, which are on one device.
  kElementwise,
  kReduction,
  kMatmul,
  kRearrange,  // copies that move elements
  kScan,       // along a dimension; keeps the operand's shape
  kNorm,       // the first operand, normalized; keeps its shape
  kLoss,
  kView,
  kCopy,  // clone, cast, to; also detach, which cuts the graph and shares storage
  kInPlace,
  kGradient,  // retain_grad, read_grad, zero_grad, set_grad
  kHook,
  kCall,  // backward, grad
  kCustom,
  kRegion,
  kStream,
  kExpect,
};

constexpr bool IsComputed(Category category) {
  return category >= Category::kElementwise && category <= Category::kInPlace;
}

// Which element types the operands may have. All operands must have the same type, except where's
// condition (bool), indices (i64), and the operands of calls, custom functions and statements that
// only name a value.
enum class DTypeRule : uint8_t {
  kAny,
  kNumeric,   // floats, i32, i64
  kFloating,  // f16, bf16, f32, f64
};

// How the argument of an attribute is written, and which alternative of AttributeValue holds it.
enum class Format : uint8_t {
  kFlag,      // bool: 0 or 1
  kInteger,   // int64_t: decimal
  kNumber,    // double: an element of type f64
  kWord,      // std::string: one of `words`
  kEquation,  // std::string: labels of operands and result, as of equation.h
  kName,      // std::string: a handle, spelled as a value's name without the %
  kIntegers,  // std::vector<int64_t>: 0,2,1; `scalar` for an empty list
  kElements,  // Bits: elements of the statement's type= (f64 where it has none), comma-separated
  kElement,   // Bits of size 1
  kValues,    // std::vector<ValueId>: %a,_,%b; `none` for an empty list
  kTarget,    // std::string or std::vector<ValueId>: a handle, or values
  kType,      // TensorType: f64[2,3], f64[] for a scalar
  kDType,     // a DType
  kDevice,    // int64_t: cpu (kCpu) or dev:N (N)
};

// The value of an absent attribute. A Program never stores an attribute that has its default.
enum class Default : uint8_t {
  kRequired,  // must be given
  kNone,      // no value equals absence
  kZero,      // false, 0, element 0
  kOne,       // true, 1
  kEmpty,     // the empty list
  kOnCpu,     // cpu
};

struct AttributeSpec {
  Key key;
  Format format;
  Default otherwise;
  std::string_view words = {};  // of Format::kWord: the words, separated by blanks
};

struct Signature {
  Opcode op;
  std::string_view name;
  Category category;
  uint16_t min_operands;
  uint16_t max_operands;
  uint16_t min_results;
  uint16_t max_results;
  DTypeRule dtypes;
  uint32_t differentiable;                     // bit i: a gradient can flow to operand i
  absl::Span<const AttributeSpec> attributes;  // in canonical order
  std::string_view doc;
  OpFacts facts;
  Opcode performs;       // the op that an in-place statement applies to the old contents; else `op`
  uint32_t indices = 0;  // bit i: operand i holds indices, of type i64, or a mask, of type bool
  // The op whose result alone is this op's second one, which a statement may leave out: indices of
  // what the first result picks. kLeaf: there is none.
  Opcode index_op = Opcode::kLeaf;

  // The attribute with this key, or null when the statement takes none.
  const AttributeSpec* Find(Key key) const {
    for (const AttributeSpec& a : attributes) {
      if (a.key == key) return &a;
    }
    return nullptr;
  }
  bool IsDifferentiable(int operand) const {
    return operand < 32 && (differentiable >> operand & 1) != 0;
  }
  bool IsIndex(int operand) const { return operand < 32 && (indices >> operand & 1) != 0; }
  // What the node saves, given whether the first two operands have a gradient: bits kSavesA to
  // kSavesE for operands, kSavesResult and kSavesOwn. An operand that is written in place is saved
  // as a copy.
  Saves SavedBy(bool a_has_gradient, bool b_has_gradient) const;
};

// All signatures, in the order of Opcode.
extern const std::array<Signature, kNumOpcodes> kSignatures;
inline absl::Span<const Signature> Signatures() { return kSignatures; }
inline const Signature& SignatureOf(Opcode op) { return kSignatures[static_cast<size_t>(op)]; }

// The saves of the op's facts, without what the statement's attributes make needless.
Saves SavesOf(const Statement& statement);

// The ops of one operand without required attributes, in the order of Opcode, from which generators
// draw: of this category (elementwise or in place), and either those that round or the others.
absl::Span<const Opcode> UnaryOps(Category category, bool rounds);

std::string_view KeyName(Key key);

std::optional<Opcode> OpcodeFromName(std::string_view name);
std::optional<DType> DTypeFromName(std::string_view name);

// Of an op that works on the last dimensions of its first operand, its plane, how many these are:
// conv2d has 2. Of others 0.
int PlaneRank(const Signature& signature);

// Whether `value` is the attribute's default; such attributes are left out of Programs.
bool IsDefault(const AttributeSpec& spec, const AttributeValue& value);

// Whether `value` holds the alternative that the format asks for.
bool HasFormat(Format format, const AttributeValue& value);

// Whether `word` is among the blank-separated `words`.
bool IsWord(std::string_view words, std::string_view word);

}  // namespace twingrad::program
