// Counting elements, and what strides mean. See geometry.h.

#include "autograd/tensor/geometry.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "autograd/base/error.h"
#include "autograd/base/inlined_vector.h"

namespace twingrad {

namespace {

// Apart, so that what each new tensor runs through saves no registers for them.
[[noreturn, gnu::noinline, gnu::cold]] void RefuseRank(Ints sizes) {
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[tensor] rank ", sizes.size(),
                           "; at most 255 dimensions are allowed; merge some"));
}

[[noreturn, gnu::noinline, gnu::cold]] void RefuseSize(int64_t size, Ints sizes) {
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[tensor] size ", size, " in shape ", ShapeToString(sizes),
                           "; sizes are 0 or more"));
}

[[noreturn, gnu::noinline, gnu::cold]] void RefuseCount(Ints sizes) {
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[tensor] the element count of ", ShapeToString(sizes),
                           " does not fit 63 bits; use smaller sizes"));
}

}  // namespace

int64_t ElementCount(Ints sizes) {
  if (sizes.size() > 255) RefuseRank(sizes);
  int64_t count = 1;
  bool overflow = false;
  bool empty = false;
  for (int64_t size : sizes) {
    if (size < 0) RefuseSize(size, sizes);
    if (size == 0) empty = true;
    overflow |= size != 0 && __builtin_mul_overflow(count, size, &count);
  }
  if (overflow) RefuseCount(sizes);
  return empty ? 0 : count;
}

Shape ContiguousStrides(Ints sizes) {
  Shape strides(sizes.size());
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<int64_t>(sizes[i], 1);
  }
  return strides;
}

bool IsContiguousGeometry(Ints sizes, Ints strides) {
  for (int64_t size : sizes) {
    if (size == 0) return true;
  }
  int64_t expected = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 1) continue;
    if (strides[i] != expected) return false;
    expected *= sizes[i];
  }
  return true;
}

bool HasInternalOverlap(Ints sizes, Ints strides) {
  InlinedVector<std::pair<int64_t, int64_t>, 4> dims;  // (stride, size), those that move
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return false;
    if (sizes[i] > 1) dims.emplace_back(std::abs(strides[i]), sizes[i]);
  }
  std::sort(dims.begin(), dims.end());
  int64_t reach = 0;  // the largest distance that the dimensions so far can span
  bool may_meet = false;
  for (const auto& [stride, size] : dims) {
    if (stride == 0) return true;
    may_meet |= stride <= reach;
    reach += stride * (size - 1);
  }
  if (!may_meet) return false;
  std::vector<int64_t> places = {0};
  for (const auto& [stride, size] : dims) {
    const size_t before = places.size();
    for (int64_t k = 1; k < size; ++k) {
      for (size_t i = 0; i < before; ++i) places.push_back(places[i] + k * stride);
    }
  }
  std::sort(places.begin(), places.end());
  return std::adjacent_find(places.begin(), places.end()) != places.end();
}

std::string ShapeToString(Ints sizes) { return absl::StrCat("[", absl::StrJoin(sizes, ","), "]"); }

}  // namespace twingrad
