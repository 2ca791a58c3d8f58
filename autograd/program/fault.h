// Which rule a Program breaks, and at which token: found by the Analyzer, located in the text by
// parser and validator.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "autograd/program/opcode.h"
#include "autograd/program/program.h"

namespace twingrad::program {

struct Fault {
  enum class Place : uint8_t { kName, kResult, kOperand, kAttribute };
  Place place = Place::kName;
  int index = 0;         // of the result or operand
  Key key = Key::kType;  // of the attribute
  std::string text;      // what is wrong; what is allowed
};

// The column, counted from 1, at which the token that `fault` blames begins in the statement's
// text.
int ColumnOf(const Fault& fault, std::string_view line);

// `[program] LINE:COLUMN text`, the form of every error of this package.
absl::Status ErrorAt(int line, int column, std::string_view text);

// `f64[2,3]`
std::string TypeText(const TensorType& type);

// `[2,3]`
std::string ShapeText(absl::Span<const int64_t> sizes);

// A text for use in a message: escaped, cut after 40 bytes, in quotes.
std::string Quoted(std::string_view text);

}  // namespace twingrad::program
