// The types of what indices in several dimensions, or a mask, take and put. See result_type.h.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

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

}  // namespace twingrad::program
