// The equation of an einsum, for given operands: labels for the dimensions of each, and of the
// result.
//
//   const Equation equation = ParseEquation("...ij,...jk->...ik", {&a, &b});
//
// Letters a to z and A to Z are labels, spaces are skipped, and ... stands for the dimensions that
// letters leave over, aligned from the last and broadcast. Without -> the result has those of ...
// and then, in the order of the alphabet, capitals first, each letter that occurs once. Pure
// functions.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "autograd/base/span.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// A char for each dimension: its letter, or one below ' ' for a dimension of ...
struct Equation {
  std::vector<std::string> inputs;
  std::string output;
  std::map<char, int64_t> sizes;

  Shape ShapeOf(const std::string& labels) const;
};

// Sizes that are broadcast are those of the result: an operand may have 1 there. Errors:
// kInvalidArgument for text that is no equation of so many operands, kShape where their ranks or
// sizes do not fit.
Equation ParseEquation(const std::string& text, Span<const Tensor* const> operands);

// Whether one that ... stands for.
inline bool IsBroadcast(char label) { return label < ' '; }

inline bool Has(const std::string& labels, char label) {
  return labels.find(label) != std::string::npos;
}

// Each once, in the order of the first.
std::string Distinct(const std::string& labels);

// The labels, each once, that are among the others; or those that are not.
std::string Among(const std::string& labels, const std::string& others, bool among = true);

}  // namespace twingrad::ops
