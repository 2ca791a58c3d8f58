// The table of points: for each op that computes, where it is smooth, where it has a kink, where
// its domain or the range of numbers ends, and where no derivative is named.
//
//   for (const PointRow& row : Points()) ...      // row.op, row.kinks, row.by_a(0, 0).low
//
// It is mathematics, taken from no engine and no formula of a witness.
// autograd/semantics/s_kinks.md shows it, and points_test holds both witnesses against it at many
// points. Constant data; pure functions.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "autograd/program/opcode.h"

namespace twingrad::reference {

enum class PointClass : uint8_t {
  kSmooth,
  kKink,       // slopes from `low` to `high`: Clarke's generalized gradient
  kJump,       // a slope of 0, or infinite
  kBoundary,   // the slope `low`, infinite or from one side
  kUndefined,  // no derivative
};

struct Point {
  PointClass kind = PointClass::kSmooth;
  double low = 0;
  double high = 0;
};

struct PointRow {
  program::Opcode op;
  // In words, for people.
  std::string_view smooth;
  std::string_view kinks;
  std::string_view boundary;
  std::string_view undefined;
  // Of an elementwise op of one or two numbers, by each; and the attributes with which.
  Point (*by_a)(double a, double b) = nullptr;
  Point (*by_b)(double a, double b) = nullptr;
  std::string_view attributes = "";
};

// One an op, in the order of the table of statements. An op in place has the row of what it
// performs.
absl::Span<const PointRow> Points();

// The table in the language of the page.
std::string PointsText();

}  // namespace twingrad::reference
