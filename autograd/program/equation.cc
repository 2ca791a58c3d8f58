#include "autograd/program/equation.h"

namespace twingrad::program {

std::optional<Equation> ParseEquation(std::string_view text) {
  const size_t arrow = text.find("->");
  if (arrow == std::string_view::npos || text.size() > kMaxEquation) return std::nullopt;
  Equation equation;
  equation.inputs.emplace_back();
  for (const char c : text.substr(0, arrow)) {
    if (c == ',') {
      equation.inputs.emplace_back();
    } else if (c >= 'a' && c <= 'z') {
      equation.inputs.back() += c;
    } else {
      return std::nullopt;
    }
  }
  equation.output = text.substr(arrow + 2);
  for (const char c : equation.output) {
    if (c < 'a' || c > 'z') return std::nullopt;
  }
  return equation;
}

std::string Distinct(std::string_view labels) {
  std::string distinct;
  for (const char c : labels) {
    if (distinct.find(c) == std::string::npos) distinct += c;
  }
  return distinct;
}

}  // namespace twingrad::program
