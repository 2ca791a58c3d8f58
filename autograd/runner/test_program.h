// For tests: a Program from its lines.

#pragma once

#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "autograd/program/parse.h"
#include "autograd/program/program.h"

namespace twingrad::runner {

// The Program of these lines after the header.
inline program::Program Parsed(std::string_view lines) {
  auto program = program::Parse(absl::StrCat("twingrad 1\n", lines));
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? *std::move(program) : program::Program();
}

}  // namespace twingrad::runner
