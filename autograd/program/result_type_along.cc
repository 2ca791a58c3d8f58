// The types of what works along dimensions: reductions, joins, picks, sorts and scans. See
// result_type.h.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "autograd/program/element_text.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/limits.h"
#include "autograd/program/result_type.h"
#include "autograd/program/view_scatter.h"

namespace twingrad::program {
namespace {

// A running sum counts as n (n + 1) / 2 additions per row.
int64_t CumsumWork(const Shape& shape, size_t dim) {
  const int64_t size = std::max<int64_t>(shape[dim], 1);
  return NumElements(shape) / size * (size * (size + 1) / 2);
}

}  // namespace

bool Inference::TakeDims(std::vector<int64_t>* dims) {
  *dims = statement_.Get<std::vector<int64_t>>(Key::kDims);
  for (auto at = dims->begin(); at != dims->end(); ++at) {
    if (*at < 0 || *at >= rank()) {
      return fault_.BlameKey(Key::kDims, "dimension ", *at, " of a value of rank ", rank(),
                             "; dims= takes 0 to rank - 1");
    }
    if (std::find(dims->begin(), at, *at) != at) {
      return fault_.BlameKey(Key::kDims, "dimension ", *at,
                             " occurs twice; each may occur once in dims=");
    }
  }
  return true;
}

bool Inference::TakeDim(size_t* dim, bool is_new) {
  const auto given = statement_.Get<int64_t>(Key::kDim);
  const int64_t last = rank() - (is_new ? 0 : 1);
  if (last < 0) {
    // A view is what would give it one.
    const bool is_view = signature_.category == Category::kView;
    return fault_.BlameKey(Key::kDim, "dimension ", given, " of a scalar; it has none",
                           is_view ? "" : ": reshape it");
  }
  if (given < 0 || given > last) {
    return fault_.BlameKey(Key::kDim, "dimension ", given, "; dim= takes 0 to ", last, " here");
  }
  *dim = static_cast<size_t>(given);
  return true;
}

bool Inference::Reduction() {
  std::vector<int64_t> dims;
  if (!TakeDims(&dims)) return false;
  const bool keepdim = statement_.Get<bool>(Key::kKeepdim);
  for (size_t d = 0; d < shape().size(); ++d) {
    const bool reduced =
        dims.empty() || std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) != dims.end();
    if (!reduced) {
      result_.shape.push_back(shape()[d]);
    } else if (keepdim) {
      result_.shape.push_back(1);
    }
    if (reduced && shape()[d] == 0 && (op() == Opcode::kAmax || op() == Opcode::kAmin)) {
      return fault_.BlameName(signature_.name, " over dimension ", d,
                              " of size 0; there is nothing to pick: it must be 1 or more");
    }
  }
  return true;
}

bool Inference::Extreme() {
  size_t dim = 0;
  if (!TakeDim(&dim)) return false;
  result_.shape = shape();
  if (shape()[dim] == 0) {
    return fault_.BlameKey(
        Key::kDim, signature_.name,
        " along a dimension of size 0; there is nothing to pick: it must be 1 or more");
  }
  if (statement_.Get<bool>(Key::kKeepdim)) {
    result_.shape[dim] = 1;
  } else {
    result_.shape.erase(result_.shape.begin() + static_cast<int64_t>(dim));
  }
  return true;
}

bool Inference::Join() {
  const bool stacks = op() == Opcode::kStack;
  const Shape& first = shape();
  size_t dim = 0;
  if (!TakeDim(&dim, stacks)) return false;
  result_.shape = first;
  if (stacks) {
    result_.shape.insert(result_.shape.begin() + static_cast<int64_t>(dim),
                         static_cast<int64_t>(operands_.size()));
  }
  for (size_t i = 1; i < operands_.size(); ++i) {
    Shape expected = first;
    const Shape& other = shape(i);
    if (!stacks && other.size() == first.size()) expected[dim] = other[dim];
    if (other != expected) {
      return fault_.BlameOperand(
          i, "shapes ", ShapeText(first), " and ", ShapeText(other),
          stacks ? " differ; stack takes equal ones" : "; sizes must be equal but for dim=");
    }
    if (!stacks) result_.shape[dim] += other[dim];
  }
  return true;
}

bool Inference::CheckFlip() {
  const auto dims = statement_.Get<std::vector<int64_t>>(Key::kDims);
  for (size_t i = 0; i < dims.size(); ++i) {
    const auto at = dims.begin() + static_cast<int64_t>(i);
    if (dims[i] < 0 || dims[i] >= rank() || std::find(dims.begin(), at, dims[i]) != at) {
      return fault_.BlameKey(Key::kDims, "dimension ", dims[i], " of a value of rank ", rank(),
                             "; dims= takes 0 to rank - 1, each once");
    }
  }
  return true;
}

bool Inference::CheckMatrices() {
  if (rank() >= 2) return true;
  return fault_.BlameOperand(0, signature_.name, " of a value of rank ", rank(),
                             "; it takes matrices: rank 2 or more");
}

// pad and the like; the sizes are those of the last dimension first.
bool Inference::Padded() {
  const auto pads = statement_.Get<std::vector<int64_t>>(Key::kPads);
  const auto dims = static_cast<int64_t>(pads.size() / 2);
  if (pads.empty() || pads.size() % 2 != 0 || dims > rank()) {
    return fault_.BlameKey(Key::kPads, pads.size(), " numbers for a value of rank ", rank(),
                           "; pads= takes two for each dimension that grows, 2 to ", 2 * rank());
  }
  result_.shape = shape();
  for (size_t k = 0; k < pads.size(); ++k) {
    if (pads[k] < 0 || pads[k] > kMaxElements) {
      return fault_.BlameKey(Key::kPads, pads[k], " entries more; pads= takes 0 to ", kMaxElements);
    }
    result_.shape[result_.shape.size() - 1 - k / 2] += pads[k];
  }
  return op() == Opcode::kPad ? CheckPadding() : CheckExtended(pads);
}

// by= of pad and masked_fill.
bool Inference::CheckPadding() {
  const double by = statement_.Get<double>(Key::kBy, 0);
  const double most = result_.dtype == DType::kI32 ? 0x1p31 - 1 : 0x1p53;
  const bool fits = IsInteger(result_.dtype) ? std::fabs(by) <= most && by == std::trunc(by)
                                             : IsRepresentable(by, FormatOf(result_.dtype));
  if (fits && std::isfinite(by)) return true;
  return fault_.BlameKey(Key::kBy, "by=", by, " of ", signature_.name, " on ",
                         DTypeName(result_.dtype),
                         "; it must be finite and a number that this type holds");
}

// All dimensions but the first, or the first two, grow by entries that are there. There may be
// nothing in the first of two.
bool Inference::CheckExtended(const std::vector<int64_t>& pads) {
  const int64_t others = rank() - static_cast<int64_t>(pads.size() / 2);
  if (others < 1 || others > 2 || pads.size() > 6) {
    return fault_.BlameKey(Key::kPads, pads.size() / 2, " dimensions of ", rank(), " grow; ",
                           signature_.name, " takes 1 to 3, all but one or two");
  }
  for (int64_t d = others - 1; d < rank(); ++d) {
    if (shape()[static_cast<size_t>(d)] > 0) continue;
    return fault_.BlameOperand(0, signature_.name, " of shape ", ShapeText(shape()),
                               "; sizes must be 1 or more, but the first before another one");
  }
  if (op() == Opcode::kPadReplicate) return true;
  for (size_t k = 0; k < pads.size(); ++k) {
    const int64_t size = shape()[shape().size() - 1 - k / 2];
    const int64_t most = op() == Opcode::kPadReflect ? size - 1 : size;
    if (pads[k] <= most) continue;
    return fault_.BlameKey(Key::kPads, pads[k], " entries more beside ", size, "; ",
                           signature_.name, " has at most ", most);
  }
  return true;
}

bool Inference::Repeated() {
  const auto counts = statement_.Get<std::vector<int64_t>>(Key::kShape);
  if (static_cast<int64_t>(counts.size()) < rank()) {
    return fault_.BlameKey(Key::kShape, counts.size(), " counts for a value of rank ", rank(),
                           "; shape= takes one for each dimension, and for new ones before them");
  }
  result_.shape.assign(counts.begin(), counts.end());
  for (size_t d = 0; d < counts.size(); ++d) {
    if (counts[d] < 0 || counts[d] > kMaxElements) {
      return fault_.BlameKey(Key::kShape, counts[d], " times; shape= takes 0 to ", kMaxElements);
    }
    const size_t added = counts.size() - shape().size();
    if (d >= added) result_.shape[d] *= shape()[d - added];
  }
  return true;
}

bool Inference::Picked() {
  const Shape& a = shape();
  const Shape& index = shape(1);
  size_t dim = 0;
  if (!TakeDim(&dim)) return false;
  if (op() == Opcode::kIndexSelect || op() == Opcode::kIndexAdd || op() == Opcode::kIndexCopy) {
    if (index.size() != 1) {
      return fault_.BlameOperand(1, "indices of rank ", index.size(), "; ", signature_.name,
                                 " takes a list of them: rank 1");
    }
    Shape entries = a;
    entries[dim] = index[0];
    result_.shape = op() == Opcode::kIndexSelect ? entries : a;
    if (op() == Opcode::kIndexSelect || shape(2) == entries) return true;
    return fault_.BlameOperand(2, "shape ", ShapeText(shape(2)), " for ", index[0], " entries of ",
                               ShapeText(a), " along dimension ", dim, "; it must be ",
                               ShapeText(entries));
  }
  bool fits = index.size() == a.size();
  for (size_t d = 0; fits && d < a.size(); ++d) fits = d == dim || index[d] <= a[d];
  if (!fits) {
    return fault_.BlameOperand(1, "indices of shape ", ShapeText(index), " for ", ShapeText(a),
                               "; they must have its rank and, but for dim=, no larger size");
  }
  if (signature_.max_operands == 3 && shape(2) != index) {
    return fault_.BlameOperand(2, "shape ", ShapeText(shape(2)), " with indices of ",
                               ShapeText(index), "; they must be equal");
  }
  result_.shape = op() == Opcode::kGather ? index : a;
  return true;
}

bool Inference::Embedded() {
  if (rank() != 2) {
    return fault_.BlameOperand(0, "embedding in a value of rank ", rank(),
                               "; it takes a matrix, whose rows it picks: rank 2");
  }
  result_.shape = shape(1);
  result_.shape.push_back(shape()[1]);
  return true;
}

bool Inference::Greatest() {
  size_t dim = 0;
  if (!TakeDim(&dim)) return false;
  const auto count = statement_.Get<int64_t>(Key::kCount);
  if (count < 0 || count > shape()[dim]) {
    return fault_.BlameKey(Key::kCount, signature_.name, " of ", count,
                           " entries of a dimension of size ", shape()[dim],
                           "; count= takes 0 to the size");
  }
  result_.shape = shape();
  result_.shape[dim] = count;
  return true;
}

bool Inference::Scan() {
  size_t dim = 0;
  if (!TakeDim(&dim)) return false;
  result_.shape = shape();
  const bool runs = op() != Opcode::kSoftmax && op() != Opcode::kLogSoftmax;
  if (runs) work_ = CumsumWork(shape(), dim);
  return true;
}

bool Inference::Rearranged() {
  size_t dim = 0;
  if (ViewWrittenBy(op())) return ViewScattered();
  switch (op()) {
    case Opcode::kCat:
    case Opcode::kStack:
      return Join();
    case Opcode::kFlip:
      result_.shape = shape();
      return CheckFlip();
    case Opcode::kTril:
    case Opcode::kTriu:
      result_.shape = shape();
      return CheckMatrices();
    case Opcode::kPad:
    case Opcode::kPadReflect:
    case Opcode::kPadReplicate:
    case Opcode::kPadCircular:
      return Padded();
    case Opcode::kRepeat:
      return Repeated();
    case Opcode::kEmbedding:
      return Embedded();
    case Opcode::kIndex:
      return Indexed();
    case Opcode::kIndexPut:
      return IndexPut();
    case Opcode::kMaskedSelect:
      return MaskedSelect();
    case Opcode::kSparseCoo:
      return MadeSparse();
    case Opcode::kCoalesce:
    case Opcode::kToDense:
    case Opcode::kSparseValues:
    case Opcode::kSparseIndices:
      return OfSparse();
    case Opcode::kTopk:
    case Opcode::kTopkIndices:
      return Greatest();
    case Opcode::kRoll:
    case Opcode::kSort:
    case Opcode::kArgsort:
      result_.shape = shape();
      return TakeDim(&dim);
    default:
      return Picked();
  }
}

}  // namespace twingrad::program
