#include "proptests/generators/einsum.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "autograd/program/equation.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/operation.h"

namespace twingrad::generators {
namespace {

using twingrad::program::Distinct;

constexpr int64_t kMostProducts = 256;

// Letters, and the sizes of the dimensions that they name.
struct Letters {
  std::map<char, int64_t> sizes;

  char New(int64_t size) {
    const auto letter = static_cast<char>('i' + sizes.size());
    sizes[letter] = size;
    return letter;
  }
  Shape ShapeOf(const std::string& labels) const {
    Shape shape;
    for (const char label : labels) shape.push_back(sizes.at(label));
    return shape;
  }
};

std::string Shuffled(Source& source, std::string labels) {
  for (size_t i = labels.size(); i > 1; --i) std::swap(labels[i - 1], labels[source.Below(i)]);
  return labels;
}

std::string Some(Source& source, const std::string& labels) {
  std::string some;
  for (const char label : labels) {
    if (source.Chance(50)) some += label;
  }
  return some;
}

// At times two dimensions of one size have one letter.
std::string LabelsOf(Source& source, const Shape& shape, Letters& letters) {
  std::string labels;
  for (const int64_t size : shape) {
    const bool twice = !labels.empty() && letters.sizes.at(labels.back()) == size;
    labels += twice && source.Chance(25) ? labels.back() : letters.New(size);
  }
  return labels;
}

// Some of those that are there, and new ones.
std::string LabelsOfOther(Source& source, const std::string& labels, Letters& letters) {
  std::string others = Some(source, labels);
  if (!others.empty() && others.size() < 3 && source.Chance(10)) others += others.front();
  if (others.size() < 3 && source.Chance(50)) {
    others += letters.New(source.Chance(4) ? 0 : source.Between(1, 3));
  }
  return Shuffled(source, std::move(others));
}

}  // namespace

ValueId ApplyEinsum(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const Shape shape = draft.ShapeOf(x);
  const bool fits = shape.size() <= 4 && draft.DTypeOf(x) != DType::kBool;
  if (!fits || !draft.options().Has(Opcode::kEinsum)) return x;
  Letters letters;
  const std::string own = LabelsOf(source, shape, letters);
  std::string equation = own;
  std::vector<ValueId> operands = {x};
  if (source.Chance(75)) {
    const std::string others = LabelsOfOther(source, Distinct(own), letters);
    const ValueId other = Fellow(draft, x, letters.ShapeOf(others));
    if (other == kNoValue) return x;
    operands.push_back(other);
    equation += "," + others;
  }
  int64_t products = 1;
  std::string all;
  for (const auto& [letter, size] : letters.sizes) {
    products *= size;
    all += letter;
  }
  std::string output = Shuffled(source, Some(source, all));
  const auto most = static_cast<size_t>(draft.options().max_rank);
  if (output.size() > most) output.resize(most);
  if (products > kMostProducts) return x;
  const Range each = operands.size() == 1 ? draft[x].range
                                          : AfterProduct(draft[x].range, draft[operands[1]].range);
  if (!draft.IsRoomy(AfterSum(each, products), draft.DTypeOf(x))) return x;
  return OrSelf(draft.Op(Opcode::kEinsum, operands, {{Key::kEquation, equation + "->" + output}}),
                x);
}

}  // namespace twingrad::generators
