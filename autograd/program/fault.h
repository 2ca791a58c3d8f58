// Which rule a Program breaks, and at which token: found by the Analyzer, located in the text by
// parser and validator.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "autograd/program/opcode.h"

namespace twingrad::program {

struct Fault {
  enum class Place : uint8_t { kName, kResult, kOperand, kAttribute };
  Place place = Place::kName;
  int index = 0;         // of the result or operand
  Key key = Key::kType;  // of the attribute
  std::string text;      // what is wrong; what is allowed

  // Each makes this the fault of a token, with a text of these parts, and returns false.
  template <typename... Parts>
  bool Blame(Place token, int index_there, Key key_there, const Parts&... parts) {
    *this = {token, index_there, key_there, absl::StrCat(parts...)};
    return false;
  }
  template <typename... Parts>
  bool BlameName(const Parts&... parts) {
    return Blame(Place::kName, 0, Key::kType, parts...);
  }
  template <typename... Parts>
  bool BlameOperand(size_t operand, const Parts&... parts) {
    return Blame(Place::kOperand, static_cast<int>(operand), Key::kType, parts...);
  }
  template <typename... Parts>
  bool BlameKey(Key attribute, const Parts&... parts) {
    return Blame(Place::kAttribute, 0, attribute, parts...);
  }
};

// The column, counted from 1, at which the token that `fault` blames begins in the statement's
// text.
int ColumnOf(const Fault& fault, std::string_view line);

// `[program] LINE:COLUMN text`, the form of every error of this package.
absl::Status ErrorAt(int line, int column, std::string_view text);

// A text for use in a message: escaped, cut after 40 bytes, in quotes.
std::string Quoted(std::string_view text);

}  // namespace twingrad::program
