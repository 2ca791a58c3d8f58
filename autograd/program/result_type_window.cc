// The types of what works on windows: boxes of entries that move over the last one, two or three
// dimensions of the first operand. See result_type.h.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "autograd/program/element_text.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/limits.h"
#include "autograd/program/result_type.h"

namespace twingrad::program {

// The plane, and before it channels, or samples and channels.
bool Inference::CheckPlane(size_t* dims) {
  *dims = static_cast<size_t>(PlaneRank(signature_));
  if (shape().size() != *dims + 1 && shape().size() != *dims + 2) {
    return fault_.BlameOperand(0, signature_.name, " of a value of rank ", rank(), "; ranks ",
                               *dims + 1, " and ", *dims + 2, " go");
  }
  return CheckSizes(0, shape().size() - *dims - 1);
}

// One number for each dimension of a window; without the attribute, `otherwise`.
bool Inference::TakeSteps(Key key, int64_t least, const std::vector<int64_t>& otherwise,
                          std::vector<int64_t>* steps) {
  *steps = statement_.Get<std::vector<int64_t>>(key);
  if (statement_.Find(key) == nullptr) *steps = otherwise;
  bool fits = steps->size() == otherwise.size();
  for (const int64_t step : *steps) fits &= step >= least && step <= kMaxElements;
  if (fits) return true;
  return fault_.BlameKey(key, KeyName(key), "=", ShapeText(*steps), " of ", signature_.name,
                         "; it takes ", otherwise.size(), " numbers from ", least, " to ",
                         kMaxElements);
}

// Sizes from dimension `first` on are 1 or more.
bool Inference::CheckSizes(size_t operand, size_t first) {
  for (size_t d = first; d < shape(operand).size(); ++d) {
    if (shape(operand)[d] > 0) continue;
    return fault_.BlameOperand(operand, signature_.name, " of shape ", ShapeText(shape(operand)),
                               "; sizes must be 1 or more, but the number of samples");
  }
  return true;
}

// Adds how many windows there are along each of the last dimensions to the result's shape.
bool Inference::Windowed(const std::vector<int64_t>& kernel, const std::vector<int64_t>& stride) {
  const size_t dims = kernel.size();
  std::vector<int64_t> padding, dilation;
  if (!TakeSteps(Key::kPadding, 0, std::vector<int64_t>(dims, 0), &padding)) return false;
  if (!TakeSteps(Key::kDilation, 1, std::vector<int64_t>(dims, 1), &dilation)) return false;
  for (size_t d = 0; d < dims; ++d) {
    const int64_t size = shape()[shape().size() - dims + d] + 2 * padding[d];
    const int64_t extent = dilation[d] * (kernel[d] - 1) + 1;
    if (extent > size) {
      return fault_.BlameName("windows of ", extent, " entries in ", size,
                              ", padding included; they must fit");
    }
    if (signature_.category == Category::kReduction && 2 * padding[d] > kernel[d]) {
      return fault_.BlameKey(Key::kPadding, "padding= of ", padding[d], " for a kernel of ",
                             kernel[d], "; at most half of it goes");
    }
    result_.shape.push_back((size - extent) / stride[d] + 1);
  }
  return true;
}

bool Inference::Pooled() {
  size_t dims = 0;
  std::vector<int64_t> kernel, stride;
  if (!CheckPlane(&dims)) return false;
  if (!TakeSteps(Key::kKernel, 1, std::vector<int64_t>(dims, 1), &kernel)) return false;
  if (!TakeSteps(Key::kStride, 1, kernel, &stride)) return false;
  result_.shape.assign(shape().begin(), shape().end() - static_cast<int64_t>(dims));
  if (!Windowed(kernel, stride) || !CheckResult()) return false;
  work_ = NumElements(result_.shape);
  for (const int64_t size : kernel) {
    if (work_ > kMaxTotalElements / size) {  // a padded kernel may be of any size
      return fault_.BlameKey(Key::kKernel, "windows of more than ", kMaxTotalElements,
                             " entries in all; a Program has room for as many elements");
    }
    work_ *= size;
  }
  return true;
}

// Planes of shape=, of entries of the operand's.
bool Inference::Replaned() {
  size_t dims = 0;
  std::vector<int64_t> sizes;
  if (!CheckPlane(&dims)) return false;
  if (!TakeSteps(Key::kShape, 1, std::vector<int64_t>(dims, 1), &sizes)) return false;
  result_.shape.assign(shape().begin(), shape().end() - static_cast<int64_t>(dims));
  result_.shape.insert(result_.shape.end(), sizes.begin(), sizes.end());
  if (!CheckResult()) return false;
  work_ = NumElements(result_.shape);
  for (size_t d = 0; d < dims; ++d) {
    // Of an adaptive pool the longest of the windows, which share entries.
    const int64_t size = shape()[shape().size() - dims + d];
    const bool pools = signature_.category == Category::kReduction;
    work_ *= pools ? (size - 1) / sizes[d] + 2 : 4;
    if (work_ <= kMaxTotalElements) continue;
    return fault_.BlameKey(Key::kShape, "windows of more than ", kMaxTotalElements,
                           " entries in all; a Program has room for as many elements");
  }
  return true;
}

// Of what stride= and the like make windows for each entry of the operand.
bool Inference::Transposed() {
  size_t dims = 0;
  if (!CheckPlane(&dims)) return false;
  const Shape &a = shape(0), &b = shape(1);
  if (b.size() != dims + 2) {
    return fault_.BlameOperand(1, signature_.name, " by a value of rank ", b.size(), "; rank ",
                               dims + 2, " goes");
  }
  const size_t channel = a.size() - dims - 1;
  const auto groups = statement_.Get<int64_t>(Key::kGroups, 1);
  if (!CheckSizes(1, 0)) return false;
  if (groups < 1 || groups > kMaxElements || a[channel] != b[0] || b[0] % groups != 0) {
    return fault_.BlameOperand(1, signature_.name, " of ", ShapeText(a), " by ", ShapeText(b),
                               " in ", groups,
                               " groups; of [N,C,..] by [C,O/groups,..] it goes, "
                               "where groups divide C");
  }
  const std::vector<int64_t> ones(dims, 1), zeros(dims, 0);
  std::vector<int64_t> stride, padding, dilation, more;
  if (!TakeSteps(Key::kStride, 1, ones, &stride)) return false;
  if (!TakeSteps(Key::kPadding, 0, zeros, &padding)) return false;
  if (!TakeSteps(Key::kDilation, 1, ones, &dilation)) return false;
  if (!TakeSteps(Key::kOutputPadding, 0, zeros, &more)) return false;
  result_.shape.assign(a.begin(), a.begin() + static_cast<int64_t>(channel));
  result_.shape.push_back(b[1] * groups);
  for (size_t d = 0; d < dims; ++d) {
    if (more[d] >= stride[d]) {
      return fault_.BlameKey(Key::kOutputPadding, "output_padding= of ", more[d],
                             " for a stride of ", stride[d], "; it must be less");
    }
    const int64_t size = (a[channel + 1 + d] - 1) * stride[d] - 2 * padding[d] +
                         dilation[d] * (b[2 + d] - 1) + more[d] + 1;
    if (size < 1) {
      return fault_.BlameName(size, " entries without the padding; there must be 1 or more");
    }
    result_.shape.push_back(size);
  }
  if (!CheckResult()) return false;
  work_ = NumElements(a) * (NumElements(b) / b[0]);
  return true;
}

bool Inference::Convolved() {
  size_t dims = 0;
  if (!CheckPlane(&dims)) return false;
  const Shape &a = shape(0), &b = shape(1);
  if (b.size() != dims + 2) {
    return fault_.BlameOperand(1, signature_.name, " by a value of rank ", b.size(), "; rank ",
                               dims + 2, " goes");
  }
  const size_t channel = a.size() - dims - 1;
  if (!CheckSizes(1, 0)) return false;
  const auto groups = statement_.Get<int64_t>(Key::kGroups, 1);
  if (groups < 1 || groups > kMaxElements || b[0] % groups != 0 || a[channel] != b[1] * groups) {
    return fault_.BlameOperand(1, signature_.name, " of ", ShapeText(a), " by ", ShapeText(b),
                               " in ", groups,
                               " groups; of [N,C,..] by [O,C/groups,..] it goes, "
                               "where groups divide O");
  }
  const std::vector<int64_t> kernel(b.begin() + 2, b.end());
  std::vector<int64_t> stride;
  if (!TakeSteps(Key::kStride, 1, std::vector<int64_t>(dims, 1), &stride)) return false;
  result_.shape.assign(a.begin(), a.begin() + static_cast<int64_t>(channel));
  result_.shape.push_back(b[0]);
  if (!Windowed(kernel, stride) || !CheckResult()) return false;
  work_ = NumElements(result_.shape) * (NumElements(b) / b[0]);
  return true;
}

}  // namespace twingrad::program
