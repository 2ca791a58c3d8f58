// Comparison of tensors by computed error bounds, and the phrases of a disagreement.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "proptests/oracles/evidence.h"

namespace twingrad::oracles {

// What every oracle speaks of.
using program::CallRecord;
using program::EdgeRecord;
using program::ErrorRecord;
using program::HookRecord;
using program::Key;
using program::NodeName;
using program::NodeRecord;
using program::NodeRole;
using program::Observation;
using program::Opcode;
using program::Program;
using program::Statement;
using program::TensorData;
using program::ValueId;
using program::ValueRecord;

// Where two tensors differ.
struct Difference {
  enum class Kind : uint8_t { kNone, kType, kElement };
  Kind kind = Kind::kNone;
  size_t index = 0;  // of the element
  double bound = 0;  // the error bound of that element
  explicit operator bool() const { return kind != Kind::kNone; }
};

// Whether the two have one element type, shape and number of elements.
inline bool SameType(const TensorData& a, const TensorData& b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.bits.size() == b.bits.size();
}

// The first element of `actual` that is further from `expected` than its bound. Bound 0 requires
// equality (NaN equals NaN, -0 equals 0); +infinity means not compared. `bounds` is empty (all 0)
// or has one entry per element.
Difference Compare(const TensorData& expected, const TensorData& actual,
                   absl::Span<const double> bounds);

// Those of one value, of TwinResult::value_bounds or grad_bounds.
inline absl::Span<const double> BoundsOf(const std::vector<reference::Judged>& bounds,
                                         size_t value) {
  if (value >= bounds.size()) return {};
  return bounds[value].bound;
}

// What an error may have left of a leaf's .grad under several threads, besides the twin's usual
// prediction: the alternative that fits what was observed. Null: there is none.
const reference::GradAlternative* AlternativeSeen(const Evidence& evidence, ValueId value);

// The first element whose bits differ.
Difference CompareBits(const TensorData& a, const TensorData& b);

// How a tensor with these bounds is compared. Within a bound above an eighth of an element's size
// (or of 1) it is only held to sign and size, and does not count as compared.
enum class Rule : uint8_t { kExact, kBounded, kNotCompared };
bool IsTooWide(double element, double bound);
Rule RuleOf(const TensorData& expected, absl::Span<const double> bounds);

// The rounding unit of the shortest format among those of the Program's numbers.
double CoarsestUnit(const Program& program);

// --- Words ---
// `%v3`.
std::string NameOf(const Program& program, ValueId value);
// The statement that defines the value, or -1.
int StatementOf(const Program& program, ValueId value);
// `statement 3: %y = mul %a %b`.
std::string LineOf(const Program& program, int statement);
// `f64[2,3]`.
std::string TypeText(DType dtype, const Shape& shape);
// The element in decimal and, if that is not exact, in hexadecimal.
std::string ElementText(const TensorData& data, size_t index);
// The two lines `  expected ...` and `  actual   ...`.
std::string ExpectedText(std::string_view expected, std::string_view actual);
// How close the two elements are, where rounding may be all; then the end of the line.
std::string RoundingText(const TensorData& expected, const TensorData& actual, size_t index);
// Those of two elements, and the rule that was broken.
std::string DifferenceText(const Difference& difference, const TensorData& expected,
                           const TensorData& actual);
// `engine with 2 device threads`.
std::string EngineText(int device_threads, int helpers = 0);
std::string EngineText(const Evidence& evidence);
// `mul of statement 3`, `accumulate_grad of statement 0`.
std::string NodeText(const NodeName& name);

}  // namespace twingrad::oracles
