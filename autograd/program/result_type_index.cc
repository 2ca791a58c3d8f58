// The types of what indices in several dimensions, or a mask, take and put. See result_type.h.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/program/element_text.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/result_type.h"

namespace twingrad::program {

// Indices are i64; masks, which stand alone, are bool.
bool Inference::CheckIndex(size_t operand) {
  const DType dtype = operands_[operand]->dtype;
  if (op() == Opcode::kMaskedSelect) {
    if (dtype == DType::kBool) return true;
    return fault_.BlameOperand(operand, "a mask of type ", DTypeName(dtype),
                               "; it must be bool: cast it");
  }
  if (dtype == DType::kI64) return true;
  const bool may_be_mask = op() == Opcode::kIndex || op() == Opcode::kIndexPut;
  if (!may_be_mask) {
    return fault_.BlameOperand(operand, "indices of type ", DTypeName(dtype),
                               "; they must be i64: cast them");
  }
  const bool alone = operands_.size() == (op() == Opcode::kIndex ? 2u : 3u);
  if (dtype == DType::kBool && alone) return true;
  return fault_.BlameOperand(operand, "indices of type ", DTypeName(dtype),
                             "; they must be i64, or one mask of type bool: cast them");
}

// How many elements of a mask with `most` of them are true.
bool Inference::CheckMaskCount(int64_t most) {
  const AttributeValue* count = statement_.Find(Key::kCount);
  if (count == nullptr) {
    return fault_.BlameName("a mask without count=; it says how many of its elements are true");
  }
  const auto number = std::get<int64_t>(*count);
  if (number >= 0 && number <= most) return true;
  return fault_.BlameKey(Key::kCount, number, " true elements of ", most,
                         "; count= takes 0 to the size of the mask");
}

// What the operands from `first` on take of the first.
bool Inference::PickedBy(size_t first, Shape* picked) {
  const Shape& a = shape();
  const bool masked = operands_[first]->dtype == DType::kBool;
  const size_t dims = masked ? shape(first).size() : operands_.size() - first;
  if (dims == 0 || dims > a.size()) {
    return masked ? fault_.BlameOperand(first, "a mask of rank ", dims, " for ", ShapeText(a),
                                        "; ranks from 1 to its own go")
                  : fault_.BlameOperand(first, dims, " indices for ", ShapeText(a),
                                        "; 1 for each dimension, or fewer, go");
  }
  if (masked) {
    const Shape beside(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(dims));
    if (shape(first) != beside) {
      return fault_.BlameOperand(first, "a mask of shape ", ShapeText(shape(first)), " for ",
                                 ShapeText(a), "; it must be ", ShapeText(beside));
    }
    if (!CheckMaskCount(NumElements(beside))) return false;
    *picked = {statement_.Get<int64_t>(Key::kCount)};
  } else {
    if (statement_.Find(Key::kCount) != nullptr) {
      return fault_.BlameKey(Key::kCount, "count= of indices; it goes with a mask alone");
    }
    for (size_t k = first; k < operands_.size(); ++k) {
      Shape broadcast;
      if (!Broadcast(*picked, shape(k), &broadcast)) {
        return fault_.BlameOperand(k, "indices of shapes ", ShapeText(*picked), " and ",
                                   ShapeText(shape(k)),
                                   " do not broadcast; sizes must be equal or 1");
      }
      *picked = std::move(broadcast);
    }
  }
  picked->insert(picked->end(), a.begin() + static_cast<std::ptrdiff_t>(dims), a.end());
  return true;
}

bool Inference::Indexed() { return PickedBy(1, &result_.shape); }

bool Inference::IndexPut() {
  if (result_.dtype == DType::kBool && statement_.Get<bool>(Key::kAccumulate)) {
    return fault_.BlameKey(Key::kAccumulate, "index_put adds no bool; numbers go");
  }
  Shape picked;
  if (!PickedBy(2, &picked)) return false;
  result_.shape = std::exchange(picked, {});
  if (!CheckResult()) return false;
  work_ = NumElements(result_.shape);
  picked = std::exchange(result_.shape, shape());
  if (BroadcastsTo(shape(1), picked)) return true;
  return fault_.BlameOperand(1, "shape ", ShapeText(shape(1)), " does not broadcast to ",
                             ShapeText(picked),
                             ", the shape of what the indices take; it must: expand it");
}

bool Inference::MaskedSelect() {
  Shape all;
  if (!Broadcast(shape(0), shape(1), &all)) {
    return fault_.BlameOperand(1, "shapes ", ShapeText(shape(0)), " and ", ShapeText(shape(1)),
                               " do not broadcast; sizes, counted from the last dimension, must be "
                               "equal or 1");
  }
  result_.shape = std::move(all);
  if (!CheckResult()) return false;
  work_ = NumElements(result_.shape);
  if (!CheckMaskCount(work_)) return false;
  result_.shape = {statement_.Get<int64_t>(Key::kCount)};
  return true;
}

bool Inference::MadeSparse() {
  const auto& sizes = std::get<std::vector<int64_t>>(*statement_.Find(Key::kShape));
  result_.shape.assign(sizes.begin(), sizes.end());
  if (!CheckResult()) return false;
  const Shape& indices = shape(1);
  const bool fits =
      indices.size() == 2 && indices[0] > 0 && indices[0] <= static_cast<int64_t>(sizes.size());
  if (!fits) {
    return fault_.BlameOperand(1, "indices of shape ", ShapeText(indices), " for ",
                               ShapeText(result_.shape),
                               "; they are [dimensions, entries], with 1 dimension of the tensor "
                               "or more: view them so");
  }
  Shape wanted = {indices[1]};
  wanted.insert(wanted.end(), sizes.begin() + indices[0], sizes.end());
  if (shape() == wanted) return true;
  return fault_.BlameOperand(0, "values of shape ", ShapeText(shape()), " for ",
                             ShapeText(result_.shape), " and indices ", ShapeText(indices),
                             "; they must be ", ShapeText(wanted),
                             ": entries, and the sizes that have no index");
}

// The second operand's type is that of the sparse one's indices.
bool Inference::OfSparse() {
  const Shape& indices = shape(1);
  if (op() == Opcode::kSparseIndices) {
    result_.shape = indices;
    return true;
  }
  result_.shape = shape();
  if (op() == Opcode::kSparseValues) {
    result_.shape.erase(result_.shape.begin(), result_.shape.begin() + indices[0]);
    result_.shape.insert(result_.shape.begin(), indices[1]);
  }
  if (op() != Opcode::kCoalesce) return true;
  const auto count = statement_.Get<int64_t>(Key::kCount);
  if (count >= 0 && count <= indices[1]) return true;
  return fault_.BlameKey(Key::kCount, count, " different indices of ", indices[1],
                         "; count= takes 0 to the number of entries");
}

}  // namespace twingrad::program
