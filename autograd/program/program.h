// A Program: a straight-line script of autograd statements, the only input format of the
// repository.
//
// Generators make Programs, fuzz bytes decode to them, goldens store them, the twin interprets
// them, engines under test run them, findings report them. This header holds only the data; text is
// in parse.h and print.h, the rules of a well-formed Program in analyze.h, the table of statement
// names, operands and attributes in signature.h. Copyable values; no thread-safety of their own.

#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "autograd/base/dtype.h"
#include "autograd/program/opcode.h"

namespace twingrad::program {

// A value is named once, by the statement that defines it; ids count up from 0 in that order.
// A value denotes a variable, not its contents: after `add_ %x %y` the id of %x denotes the new
// contents.
using ValueId = int32_t;

// Stands for "no value" in lists of values; `_` in text (an implicit seed, an absent operand).
inline constexpr ValueId kNoValue = -1;

// Devices: kCpu, or the index of an accelerator (`dev:0` in text).
using DeviceIndex = int32_t;
inline constexpr DeviceIndex kCpu = -1;

// Element type and shape of a leaf, e.g. `f64[2,3]`.
struct TensorType {
  DType dtype = DType::kF64;
  Shape shape;
  bool operator==(const TensorType&) const = default;
};

// Elements as 64-bit patterns: floats of every type as the pattern of the double that is equal,
// every NaN as 0x7ff8000000000000; i64 and i32 as two's complement; bool as 0 or 1.
using Bits = absl::InlinedVector<uint64_t, 8>;

// The argument of one `key=value` token. Which alternative a key takes is fixed by its signature:
// bool for 0/1 flags, std::string for words, Bits for data.
using AttributeValue = std::variant<bool, int64_t, double, std::string, std::vector<int64_t>, Bits,
                                    std::vector<ValueId>, TensorType, DType>;

struct Attribute {
  Key key;
  AttributeValue value;
  bool operator==(const Attribute&) const = default;
};

// One line of a Program: `%r0,%r1 = name %operand ... key=value ...`.
struct Statement {
  Opcode op = Opcode::kLeaf;
  absl::InlinedVector<ValueId, 1> results;
  absl::InlinedVector<ValueId, 3> operands;
  // In the order of the signature; attributes that hold their default are absent.
  std::vector<Attribute> attributes;

  // The attribute's value, or null when it is absent (and so holds its default).
  const AttributeValue* Find(Key key) const {
    for (const Attribute& a : attributes) {
      if (a.key == key) return &a.value;
    }
    return nullptr;
  }

  // The attribute as a T, or `otherwise` when absent. The alternative must be the signature's.
  template <typename T>
  T Get(Key key, T otherwise = T()) const {
    const AttributeValue* v = Find(key);
    return v == nullptr ? otherwise : std::get<T>(*v);
  }

  bool operator==(const Statement&) const = default;
};

struct Program {
  std::vector<Statement> statements;
  // Names of the values by id, without the `%`.
  std::vector<std::string> names;

  bool operator==(const Program&) const = default;
};

}  // namespace twingrad::program
