// The types of views. See result_type.h.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "autograd/program/element_text.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/parts.h"
#include "autograd/program/result_type.h"
#include "autograd/program/view_scatter.h"

namespace twingrad::program {

bool Inference::Reshaped() {
  const auto wanted = statement_.Get<std::vector<int64_t>>(Key::kShape);
  std::string why;
  if (!WithinLimits(wanted, &why)) return fault_.BlameKey(Key::kShape, why);
  result_.shape.assign(wanted.begin(), wanted.end());
  if (op() == Opcode::kExpand) {
    if (BroadcastsTo(shape(), wanted)) return true;
    return fault_.BlameKey(
        Key::kShape, ShapeText(shape()), " does not expand to ", ShapeText(wanted),
        "; sizes, counted from the last dimension, must be equal, or 1 in the operand");
  }
  if (NumElements(result_.shape) == NumElements(shape())) return true;
  return fault_.BlameKey(Key::kShape, ShapeText(shape()), " has ", NumElements(shape()),
                         " elements and ", ShapeText(wanted), " has ", NumElements(result_.shape),
                         "; they must be equal");
}

bool Inference::Permuted() {
  auto dims = statement_.Get<std::vector<int64_t>>(Key::kDims);
  if (op() == Opcode::kTranspose) {
    if (dims.size() != 2 || dims[0] < 0 || dims[0] >= rank() || dims[1] < 0 || dims[1] >= rank()) {
      return fault_.BlameKey(Key::kDims, "transpose of rank ", rank(),
                             "; dims= takes two dimensions, each 0 to rank - 1");
    }
    result_.shape = shape();
    std::swap(result_.shape[dims[0]], result_.shape[dims[1]]);
    return true;
  }
  if (static_cast<int64_t>(dims.size()) != rank()) {
    return fault_.BlameKey(Key::kDims, "permute of rank ", rank(), " with ", dims.size(),
                           " dimensions; dims= takes each dimension once");
  }
  if (!TakeDims(&dims)) return false;
  for (const int64_t d : dims) result_.shape.push_back(shape()[d]);
  return true;
}

bool Inference::Selected() {
  size_t dim = 0;
  if (!TakeDim(&dim)) return false;
  const int64_t index = statement_.Get<int64_t>(Key::kIndex), size = shape()[dim];
  if (index < 0 || index >= size) {
    return fault_.BlameKey(Key::kIndex, "index ", index, " of a dimension of size ", size,
                           "; 0 to size - 1 go");
  }
  result_.shape = shape();
  result_.shape.erase(result_.shape.begin() + static_cast<int64_t>(dim));
  return true;
}

bool Inference::Sliced() {
  size_t dim = 0;
  if (!TakeDim(&dim)) return false;
  const int64_t size = shape()[dim];
  const int64_t start = statement_.Get<int64_t>(Key::kStart);
  const int64_t stop = statement_.Get<int64_t>(Key::kStop, size);
  const int64_t step = statement_.Get<int64_t>(Key::kStep, 1);
  if (start < 0) {
    return fault_.BlameKey(Key::kStart, "start ", start, "; it must be 0 or more");
  }
  if (stop < 0) return fault_.BlameKey(Key::kStop, "stop ", stop, "; it must be 0 or more");
  if (step < 1) return fault_.BlameKey(Key::kStep, "step ", step, "; it must be 1 or more");
  const int64_t from = std::min(start, size);
  const int64_t length = std::max<int64_t>(std::min(stop, size) - from, 0);
  result_.shape = shape();
  result_.shape[dim] = length == 0 ? 0 : (length - 1) / step + 1;
  return true;
}

bool Inference::Squeezed() {
  std::vector<int64_t> dims;
  if (!TakeDims(&dims)) return false;
  for (int64_t d = 0; d < rank(); ++d) {
    const bool named = dims.empty() || std::find(dims.begin(), dims.end(), d) != dims.end();
    if (!named || shape()[d] != 1) result_.shape.push_back(shape()[d]);
  }
  return true;
}

bool Inference::Unsqueezed() {
  size_t dim = 0;
  if (!TakeDim(&dim, /*is_new=*/true)) return false;
  result_.shape = shape();
  result_.shape.insert(result_.shape.begin() + static_cast<int64_t>(dim), 1);
  return true;
}

// t and diagonal.
bool Inference::Diagonal() {
  result_.shape = shape();
  if (op() == Opcode::kT) {
    std::reverse(result_.shape.begin(), result_.shape.end());
    if (rank() <= 2) return true;
    return fault_.BlameOperand(0, "t of a value of rank ", rank(),
                               "; ranks 0 to 2 go: transpose it");
  }
  const auto dims = statement_.Get<std::vector<int64_t>>(Key::kDims);
  const bool two = dims.size() == 2 && dims[0] != dims[1];
  if (!two || std::min(dims[0], dims[1]) < 0 || std::max(dims[0], dims[1]) >= rank()) {
    return fault_.BlameKey(Key::kDims, "diagonal of rank ", rank(),
                           "; dims= takes two dimensions that differ, each 0 to rank - 1");
  }
  const int64_t by = statement_.Get<int64_t>(Key::kBy);
  const int64_t rows = shape()[dims[0]], columns = shape()[dims[1]];
  // Neither -by nor a difference may leave the integers.
  const int64_t length = by >= 0 ? (by < columns ? std::min(rows, columns - by) : 0)
                                 : (by > -rows ? std::min(rows + by, columns) : 0);
  result_.shape.erase(result_.shape.begin() + std::max(dims[0], dims[1]));
  result_.shape.erase(result_.shape.begin() + std::min(dims[0], dims[1]));
  result_.shape.push_back(length);
  return true;
}

bool Inference::Unfolded() {
  size_t dim = 0;
  if (!TakeDim(&dim)) return false;
  const int64_t size = shape()[dim], count = statement_.Get<int64_t>(Key::kCount);
  const int64_t step = statement_.Get<int64_t>(Key::kStep, 1);
  if (count < 1 || count > size) {
    return fault_.BlameKey(Key::kCount, "windows of ", count, " entries in a dimension of size ",
                           size, "; count= takes 1 to the size");
  }
  if (step < 1) return fault_.BlameKey(Key::kStep, "step ", step, "; it must be 1 or more");
  result_.shape = shape();
  result_.shape[dim] = (size - count) / step + 1;
  result_.shape.push_back(count);
  return true;
}

bool Inference::Parted() {
  size_t dim = 0;
  if (!TakeDim(&dim)) return false;
  const int64_t count = statement_.Get<int64_t>(Key::kCount, 1);
  if (count < 1) {
    return fault_.BlameKey(Key::kCount, "count ", count, "; it must be 1 or more");
  }
  const int64_t parts = CountParts(statement_, shape());
  if (parts == static_cast<int64_t>(statement_.results.size())) {
    result_.shape = PartShape(statement_, shape(), 0);
    return true;
  }
  return fault_.BlameName(signature_.name, " of ", ShapeText(shape()), " with ",
                          statement_.results.size(), " results; it has one a part, here ", parts,
                          ", and at most ", signature_.max_results);
}

bool Inference::Strided() {
  const auto wanted = statement_.Get<std::vector<int64_t>>(Key::kShape);
  const auto strides = statement_.Get<std::vector<int64_t>>(Key::kStride);
  const auto start = statement_.Get<int64_t>(Key::kStart);
  std::string why;
  if (!WithinLimits(wanted, &why)) return fault_.BlameKey(Key::kShape, why);
  result_.shape.assign(wanted.begin(), wanted.end());
  const int64_t elements = NumElements(shape());
  const bool fit = strides.size() == wanted.size() &&
                   std::ranges::all_of(strides, [&](int64_t s) { return s >= 0 && s <= elements; });
  if (!fit) {
    return fault_.BlameKey(Key::kStride, "stride= of a value with ", elements, " elements and ",
                           wanted.size(), " dimensions of the result; it takes one for each, 0 to ",
                           "the number of elements");
  }
  if (start < 0 || start > elements) {
    return fault_.BlameKey(Key::kStart, "start ", start,
                           "; it must be 0 to the number of elements, ", elements);
  }
  int64_t last = start;  // no overflow: sizes and strides are at most 2^20
  for (size_t d = 0; d < strides.size(); ++d) {
    last += std::max<int64_t>(wanted[d] - 1, 0) * strides[d];
  }
  if (NumElements(result_.shape) == 0 || last < elements) return true;
  return fault_.BlameKey(Key::kStride, "the last element of the result is number ", last,
                         ", counted from 0, of a value with ", elements,
                         "; it must be one of the value's");
}

bool Inference::View() {
  if (HasParts(op())) return Parted();
  switch (op()) {
    case Opcode::kTranspose:
    case Opcode::kPermute:
      return Permuted();
    case Opcode::kSelect:
      return Selected();
    case Opcode::kSlice:
      return Sliced();
    case Opcode::kSqueeze:
      return Squeezed();
    case Opcode::kUnsqueeze:
      return Unsqueezed();
    case Opcode::kT:
    case Opcode::kDiagonal:
      return Diagonal();
    case Opcode::kUnfold:
      return Unfolded();
    case Opcode::kAsStrided:
      return Strided();
    case Opcode::kAlias:
      result_.shape = shape();
      return true;
    default:
      return Reshaped();
  }
}

// The operand's shape, where the second operand has that of the view.
bool Inference::ViewScattered() {
  Statement view = statement_;
  view.op = *ViewWrittenBy(op());
  TensorType part;
  Inference inference(view, operands_.first(1), &part, &work_, &fault_);
  if (!inference.View()) return false;
  if (shape(1) != part.shape) {
    return fault_.BlameOperand(1, "shape ", ShapeText(shape(1)), " in place of a view of ",
                               ShapeText(part.shape), "; they must be equal");
  }
  result_.shape = shape();
  return view.op != Opcode::kAsStrided || CheckApart(part.shape);
}

// Whether the strides lead to no element twice.
bool Inference::CheckApart(const Shape& part) {
  const auto strides = statement_.Get<std::vector<int64_t>>(Key::kStride);
  std::vector<bool> seen(static_cast<size_t>(NumElements(shape())));
  Shape at(part.size(), 0);
  for (int64_t left = NumElements(part); left > 0; --left) {
    int64_t place = statement_.Get<int64_t>(Key::kStart);
    for (size_t d = 0; d < at.size(); ++d) place += at[d] * strides[d];
    if (seen[static_cast<size_t>(place)]) {
      return fault_.BlameKey(Key::kStride, "strides lead to element ", place,
                             " twice; what is put there must be one number: choose others");
    }
    seen[static_cast<size_t>(place)] = true;
    for (size_t d = at.size(); d-- > 0 && ++at[d] == part[d];) at[d] = 0;
  }
  return true;
}

}  // namespace twingrad::program
