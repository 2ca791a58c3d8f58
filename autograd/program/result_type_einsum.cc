// The type of an einsum. See result_type.h.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "autograd/program/element_text.h"
#include "autograd/program/equation.h"
#include "autograd/program/limits.h"
#include "autograd/program/result_type.h"

namespace twingrad::program {

bool Inference::Contracted() {
  const auto text = statement_.Get<std::string>(Key::kEquation);
  const auto equation = ParseEquation(text);
  if (!equation || equation->inputs.size() != operands_.size()) {
    return fault_.BlameKey(Key::kEquation, "equation=", text, " for ", operands_.size(),
                           " operands; it has labels for each, apart by commas");
  }
  std::array<int64_t, 26> sizes;
  sizes.fill(-1);
  work_ = 1;
  for (size_t k = 0; k < operands_.size(); ++k) {
    const std::string& labels = equation->inputs[k];
    if (labels.size() != shape(k).size()) {
      return fault_.BlameOperand(k, "labels ", labels.empty() ? "none" : labels,
                                 " of a value of rank ", shape(k).size(),
                                 "; there is one for each dimension");
    }
    for (size_t d = 0; d < labels.size(); ++d) {
      int64_t& size = sizes[static_cast<size_t>(labels[d] - 'a')];
      if (size >= 0 && size != shape(k)[d]) {
        return fault_.BlameOperand(k, "label ", labels.substr(d, 1), " of size ", shape(k)[d],
                                   ", and of size ", size, " before; a label has one size");
      }
      if (size < 0) work_ *= shape(k)[d];
      size = shape(k)[d];
    }
  }
  for (const char label : equation->output) {
    const int64_t size = sizes[static_cast<size_t>(label - 'a')];
    if (size < 0 || equation->output.find(label) != equation->output.rfind(label)) {
      return fault_.BlameKey(Key::kEquation, "label ", std::string(1, label), " of the result in ",
                             text, "; each is one of an operand's, and occurs there once");
    }
    result_.shape.push_back(size);
  }
  return true;
}

}  // namespace twingrad::program
