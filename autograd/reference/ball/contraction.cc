// einsum: sums of products of elements that share their labels.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "autograd/program/equation.h"
#include "autograd/reference/ball/evaluate.h"

namespace twingrad::reference::ball {

namespace {

using Sizes = std::map<char, int64_t>;

std::vector<int64_t> ShapeOf(const std::string& labels, const Sizes& sizes) {
  std::vector<int64_t> shape;
  for (const char label : labels) shape.push_back(sizes.at(label));
  return shape;
}

// Where each element of an array with the labels `space` lies in one with `of`.
Places PlacesIn(const std::string& space, const std::string& of, const Sizes& sizes) {
  const Places steps = StridesOf(ShapeOf(of, sizes));
  Places strides(space.size(), 0);
  for (size_t d = 0; d < of.size(); ++d) {
    const size_t at = space.find(of[d]);
    if (at != std::string::npos) strides[at] += steps[d];
  }
  return Enumerate(ShapeOf(space, sizes), strides);
}

Sizes SizesOf(const std::string& labels, const Shape& shape) {
  Sizes sizes;
  for (size_t d = 0; d < labels.size(); ++d) sizes[labels[d]] = shape[d];
  return sizes;
}

// Those of `labels`, each once, that are among the others.
std::string Among(const std::string& labels, const std::string& others) {
  std::string among;
  for (const char label : program::Distinct(labels)) {
    if (others.find(label) != std::string::npos) among += label;
  }
  return among;
}

}  // namespace

// An operand on its diagonals, summed over the labels that are not kept.
Tensor Evaluation::SummedAlone(size_t operand, const std::string& labels, const std::string& kept) {
  const Tensor& of = in_[operand];
  const Sizes sizes = SizesOf(labels, of.shape);
  const std::string space = program::Distinct(labels);
  const Places from = PlacesIn(space, labels, sizes), to = PlacesIn(space, kept, sizes);
  const std::vector<int64_t> shape = ShapeOf(kept, sizes);
  std::vector<Refs> rows(static_cast<size_t>(CountOf(shape)));
  for (size_t i = 0; i < from.size(); ++i) {
    rows[static_cast<size_t>(to[i])].push_back(of.elements[static_cast<size_t>(from[i])]);
  }
  Tensor summed{of.type, Shape(shape.begin(), shape.end()), {}};
  for (const Refs& row : rows) {
    summed.elements.push_back(space.size() == kept.size() ? row[0] : math_.Sum(row, type()));
  }
  return summed;
}

void Evaluation::Contract() {
  const auto equation =
      *program::ParseEquation(statement_.Get<std::string>(program::Key::kEquation));
  const std::string &a = equation.inputs[0], &output = equation.output;
  if (in_.size() == 1) {
    out_.elements = SummedAlone(0, a, output).elements;
    return;
  }
  const std::string& b = equation.inputs[1];
  const std::string of_left = Among(a, b + output), of_right = Among(b, a + output);
  const Tensor left = SummedAlone(0, a, of_left), right = SummedAlone(1, b, of_right);
  Sizes sizes = SizesOf(of_left, left.shape);
  sizes.merge(SizesOf(of_right, right.shape));
  const std::string space = program::Distinct(of_left + of_right);
  const Places in_left = PlacesIn(space, of_left, sizes);
  const Places in_right = PlacesIn(space, of_right, sizes);
  const Places to = PlacesIn(space, output, sizes);
  std::vector<std::vector<std::pair<Ref, Ref>>> products(static_cast<size_t>(CountOf(out_.shape)));
  for (size_t i = 0; i < to.size(); ++i) {
    products[static_cast<size_t>(to[i])].emplace_back(
        left.elements[static_cast<size_t>(in_left[i])],
        right.elements[static_cast<size_t>(in_right[i])]);
  }
  for (const auto& each : products) Put(math_.SumOfProducts(each, nullptr, type()));
}

}  // namespace twingrad::reference::ball
