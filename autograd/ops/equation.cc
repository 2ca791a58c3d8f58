#include "autograd/ops/equation.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "autograd/base/error.h"

namespace twingrad::ops {
namespace {

constexpr size_t kMaxBroadcast = ' ' - 1;

[[noreturn]] void RefuseText(const std::string& text, size_t operands) {
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[einsum] the equation '", text, "' for ", operands,
                           " operands; a letter, a to z or A to Z, for each dimension of each "
                           "operand, at most one ... among them, commas between operands, then -> "
                           "and those of the result, each once: ij,jk->ik"));
}

// Of one operand or of the result: what stands before ... and what behind it.
struct Term {
  std::string before, behind;
  bool has_rest = false;

  size_t letters() const { return before.size() + behind.size(); }
  // With the labels of the last `rest` broadcast dimensions in the place of ...
  std::string Labels(size_t rest) const {
    std::string labels = before;
    for (size_t from_last = rest; from_last > 0; --from_last) {
      labels += static_cast<char>(from_last);
    }
    return labels + behind;
  }
};

// False where it is none.
bool ReadTerm(std::string_view text, Term& term) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (absl::ascii_isalpha(static_cast<unsigned char>(text[i]))) {
      (term.has_rest ? term.behind : term.before) += text[i];
    } else if (text.substr(i, 3) == "..." && !term.has_rest) {
      term.has_rest = true;
      i += 2;
    } else if (text[i] != ' ') {
      return false;
    }
  }
  return true;
}

// What a result has of which nothing is said.
std::string LettersThatOccurOnce(const std::vector<Term>& inputs) {
  std::map<char, int> times;
  for (const Term& term : inputs) {
    for (const char c : term.before + term.behind) ++times[c];
  }
  std::string once;
  for (const auto& [letter, count] : times) {
    if (count == 1) once += letter;
  }
  return once;
}

[[noreturn]] void RefuseShape(const std::string& text, size_t k, Ints shape) {
  throw Error(
      ErrorKind::kShape,
      absl::StrCat("[einsum] operand ", k, " of shape ", ShapeToString(shape), " for ", text,
                   "; it has a dimension for each of its letters, a letter has one "
                   "size everywhere, and what ... stands for has one size or 1"));
}

}  // namespace

Shape Equation::ShapeOf(const std::string& labels) const {
  Shape shape;
  for (const char label : labels) shape.push_back(sizes.at(label));
  return shape;
}

std::string Distinct(const std::string& labels) {
  std::string distinct;
  for (const char label : labels) {
    if (!Has(distinct, label)) distinct += label;
  }
  return distinct;
}

std::string Among(const std::string& labels, const std::string& others, bool among) {
  std::string found;
  for (const char label : Distinct(labels)) {
    if (Has(others, label) == among) found += label;
  }
  return found;
}

Equation ParseEquation(const std::string& text, Span<const Tensor* const> operands) {
  const size_t arrow = std::min(text.find("->"), text.size());
  std::vector<Term> inputs;
  for (const std::string_view part : absl::StrSplit(text.substr(0, arrow), ',')) {
    if (!ReadTerm(part, inputs.emplace_back())) RefuseText(text, operands.size());
  }
  if (inputs.size() != operands.size()) RefuseText(text, operands.size());
  Equation equation;
  size_t broadcast = 0;  // as many dimensions as the longest ... stands for
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Ints shape = operands[k]->sizes();
    const Term& term = inputs[k];
    const bool fits =
        term.has_rest ? shape.size() >= term.letters() : shape.size() == term.letters();
    if (!fits || shape.size() > kMaxBroadcast) RefuseShape(text, k, shape);
    const size_t rest = shape.size() - term.letters();
    broadcast = std::max(broadcast, rest);
    equation.inputs.push_back(term.Labels(rest));
    for (size_t d = 0; d < shape.size(); ++d) {
      const char label = equation.inputs[k][d];
      int64_t& size = equation.sizes.emplace(label, shape[d]).first->second;
      if (IsBroadcast(label) && size == 1) size = shape[d];
      const bool is_repeated = IsBroadcast(label) && shape[d] == 1;
      if (size != shape[d] && !is_repeated) RefuseShape(text, k, shape);
    }
  }
  Term output;
  if (arrow == text.size()) {
    output = {"", LettersThatOccurOnce(inputs), /*has_rest=*/true};
  } else if (!ReadTerm(std::string_view(text).substr(arrow + 2), output)) {
    RefuseText(text, operands.size());
  }
  equation.output = output.Labels(output.has_rest ? broadcast : 0);
  const bool is_known = std::ranges::all_of(
      equation.output, [&](char label) { return equation.sizes.count(label) == 1; });
  if (!is_known || Distinct(equation.output).size() != equation.output.size()) {
    RefuseText(text, operands.size());
  }
  return equation;
}

}  // namespace twingrad::ops
