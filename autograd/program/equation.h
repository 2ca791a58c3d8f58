// The equation of an einsum: a letter for each dimension of each operand and of the result.
//
//   auto equation = ParseEquation("ij,jk->ik");   // inputs {"ij", "jk"}, output "ik"
//
// A letter that the output lacks is summed over; one that an operand has twice takes its diagonal.
// Pure functions.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace twingrad::program {

inline constexpr size_t kMaxEquation = 64;  // characters

struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

// Letters a to z, with commas between the operands, and ->; nothing where the text is no equation.
std::optional<Equation> ParseEquation(std::string_view text);

// Each letter of these labels once, in the order of the first.
std::string Distinct(std::string_view labels);

}  // namespace twingrad::program
