// For the tests of this folder: Programs, and the adapter with planted defects as an engine.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/program/parse.h"
#include "proptests/conformance/session.h"

namespace twingrad::conformance {

// The Program of these statements, which must be right.
inline twingrad::program::Program Parsed(std::string_view statements) {
  return twingrad::program::Parse(absl::StrCat("twingrad 1\n", statements)).value();
}

inline twingrad::program::Program Square() {
  return Parsed("%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbackward %y\n");
}

inline SessionOptions Command(std::vector<std::string> words) {
  SessionOptions options;
  options.command = std::move(words);
  return options;
}

inline SessionOptions Faulty(const std::string& fault) {
  return Command({"proptests/mutants/adapter/faulty", fault});
}

}  // namespace twingrad::conformance
