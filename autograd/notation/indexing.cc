#include "autograd/notation/indexing.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"

namespace twingrad {
namespace {

int64_t CountOf(const std::vector<Place>& index, Place::Kind kind) {
  return std::count_if(index.begin(), index.end(),
                       [kind](const Place& place) { return place.kind() == kind; });
}

// How many dimensions kRest stands for.
int64_t RestOf(const Tensor& a, const std::vector<Place>& index) {
  if (!a.defined()) {
    throw Error(ErrorKind::kUndefined,
                "[index] the operand is undefined; a tensor is needed; check defined() first");
  }
  const int64_t rests = CountOf(index, Place::Kind::kRest);
  const int64_t taken =
      static_cast<int64_t>(index.size()) - CountOf(index, Place::Kind::kNewDim) - rests;
  if (rests > 1 || taken > a.dim()) {
    throw Error(ErrorKind::kIndex,
                absl::StrCat("[index] ", taken, " entries and ranges and ", rests,
                             " times kRest for the shape ", ShapeToString(a.sizes()),
                             "; at most one place a dimension and one kRest are allowed; leave "
                             "some out"));
  }
  return a.dim() - taken;
}

}  // namespace

Tensor At(const Tensor& a, const std::vector<Place>& index) {
  const int64_t rest = RestOf(a, index);
  Tensor result = a;
  int64_t dim = 0;
  for (const Place& place : index) {
    switch (place.kind()) {
      case Place::Kind::kEntry:
        result = Select(result, dim, place.entry());
        break;
      case Place::Kind::kRange: {
        const Range& range = place.range();
        if (range.start != 0 || range.stop != kEnd || range.step != 1) {
          result = Slice(result, dim, range.start, range.stop, range.step);
        }
        ++dim;
        break;
      }
      case Place::Kind::kNewDim:
        result = Unsqueeze(result, dim++);
        break;
      case Place::Kind::kRest:
        dim += rest;
        break;
    }
  }
  // A view even if every place took its dimension whole.
  return result.IsSameAs(a) ? Expand(a, a.sizes()) : result;
}

}  // namespace twingrad
