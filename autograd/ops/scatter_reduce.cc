#include "autograd/ops/scatter_reduce.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/piecewise.h"
#include "autograd/ops/rearrange.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/scatter.h"
#include "autograd/ops/taken.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/narrow.h"
#include "autograd/tensor/kernels/rearrange.h"

namespace twingrad::ops {
namespace {

constexpr const char* kOp = "scatter_reduce";

bool IsExtreme(ScatterReduction reduction) {
  return reduction == ScatterReduction::kAmax || reduction == ScatterReduction::kAmin;
}

// Bool, of the shape `whole`: which places some index names.
Tensor Named(const Shape& whole, int64_t dim, const Tensor& index) {
  const Device device = index.device();
  return kernels::Scatter(Tensor::Zeros(whole, DType::kBool, device), dim, index,
                          Tensor::Full(index.sizes(), 1, DType::kBool, device));
}

// a with this number at the places.
Tensor Started(const Tensor& a, int64_t dim, const Tensor& index, double number) {
  return kernels::Where(Named(SizesOf(a), dim, index), Constant(number, a), a);
}

// How many elements each place is the mean of; 1 where it stays as it is.
Tensor CountsAt(const Tensor& like, int64_t dim, const Tensor& index, bool include_self) {
  const Tensor ones = Tensor::Full(like.sizes(), 1, like.dtype(), like.device());
  return kernels::ScatterAdd(include_self ? ones : Started(ones, dim, index, 0), dim, index,
                             Tensor::Full(index.sizes(), 1, like.dtype(), like.device()));
}

Tensor Values(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source,
              ScatterReduction reduction, bool include_self) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto start = [&](double number) {
    return include_self ? a : Started(a, dim, index, number);
  };
  switch (reduction) {
    case ScatterReduction::kSum:
      return kernels::ScatterAdd(start(0), dim, index, source);
    case ScatterReduction::kMean:
      return kernels::Div(kernels::ScatterAdd(start(0), dim, index, source),
                          CountsAt(a, dim, index, include_self));
    case ScatterReduction::kProd:
      return kernels::ScatterMul(start(1), dim, index, source);
    case ScatterReduction::kAmax:
      return kernels::ScatterExtreme(start(-kInfinity), dim, index, source, /*least=*/false);
    case ScatterReduction::kAmin:
      return kernels::ScatterExtreme(start(kInfinity), dim, index, source, /*least=*/true);
  }
  return a;
}

// The gradient of what stays of a: g, but 0 at the places.
Tensor Beside(const Tensor& g, int64_t dim, const Tensor& index) {
  return Scatter(g, dim, index, Tensor::Zeros(index.sizes(), g.dtype(), g.device()));
}

struct Reduced {
  const Tensor& index;
  const Tensor& a;
  const Tensor& source;
  const Tensor& result;
};

// An equal share of g to each that is the extreme of its place.
Tensor ExtremeDerivative(size_t k, const Tensor& g, int64_t dim, const Reduced& of,
                         bool include_self) {
  if (k == 0 && !include_self) return Beside(g, dim, of.index);
  const Shape whole = SizesOf(of.a);
  const DType dtype = of.a.dtype();
  const Tensor mine = kernels::Equals(of.source, kernels::Gather(of.result, dim, of.index));
  // What nothing went to is what it was, NaN too.
  const Tensor none = Tensor::Zeros(whole, DType::kBool, g.device());
  const Tensor own = kernels::Where(Named(whole, dim, of.index),
                                    include_self ? kernels::Equals(of.a, of.result) : none,
                                    Tensor::Full(whole, 1, DType::kBool, g.device()));
  const Tensor counts =
      kernels::ScatterAdd(kernels::Cast(own, dtype), dim, of.index, kernels::Cast(mine, dtype));
  if (k == 0) return Div(Where(own, g, Constant(0, g)), counts);
  const Tensor there = Where(mine, Gather(g, dim, of.index), Constant(0, g));
  return Div(there, kernels::Gather(counts, dim, of.index));
}

// The place of each element of the source among those of a, where the host reads it.
Tensor PlacesAt(const Shape& whole, int64_t dim, const Tensor& index) {
  Tensor numbers = Tensor::Empty(whole, DType::kI64, kernels::HostSide(index.device()));
  int64_t* const begin = numbers.mutable_data<int64_t>();
  std::iota(begin, begin + numbers.numel(), int64_t{0});
  const Tensor places = kernels::Gather(kernels::MovedTo(numbers, index.device()), dim, index);
  return kernels::MovedTo(places, numbers.device());
}

// For each element of the source the product of the others that meet in its place: of those before
// it and those after it.
Tensor ProductsOfOthers(const Reduced& of, int64_t dim, bool include_self) {
  const Device device = of.index.device(), here = kernels::HostSide(device);
  const auto rows = [here](const Tensor& t) {
    return kernels::Clone(kernels::Widened(kernels::MovedTo(t, here)));
  };
  const Tensor places = PlacesAt(SizesOf(of.a), dim, of.index), source = rows(of.source);
  const DType type = ComputedAs(of.a.dtype());
  Tensor before = include_self ? rows(of.a) : Tensor::Full(of.a.sizes(), 1, type, here);
  Tensor after = Tensor::Full(of.a.sizes(), 1, type, here);
  Tensor others = Tensor::Empty(of.index.sizes(), type, here);
  kernels::DispatchFloating(kOp, type, [&](auto zero) {
    using T = decltype(zero);
    const int64_t* const place = places.data<int64_t>();
    const T* const factor = source.data<T>();
    T *const first = before.mutable_data<T>(), *const last = after.mutable_data<T>();
    T* const product = others.mutable_data<T>();
    for (int64_t e = 0; e < others.numel(); ++e) {
      product[e] = first[place[e]];
      first[place[e]] *= factor[e];
    }
    for (int64_t e = others.numel(); e-- > 0;) {
      product[e] *= last[place[e]];
      last[place[e]] *= factor[e];
    }
  });
  return kernels::MovedTo(kernels::Narrowed(others, of.a.dtype()), device);
}

// The elements that meet in each named place, as rows of a matrix: a's own or 1, those of the
// source, and as many ones as are missing.
struct Meetings {
  int64_t rows = 0, columns = 1;
  std::vector<int64_t> named;    // the place of each row
  std::vector<int64_t> from;     // of all of a, all of the source and a 1: what each entry is
  std::vector<int64_t> entries;  // of each element of the source: its entry

  Meetings(const Shape& whole, int64_t dim, const Tensor& index, bool include_self);
};

Meetings::Meetings(const Shape& whole, int64_t dim, const Tensor& index, bool include_self) {
  const int64_t size = ElementCount(whole), count = index.numel();
  const Tensor places = PlacesAt(whole, dim, index);
  const int64_t* const place = places.data<int64_t>();
  std::vector<int64_t> row(static_cast<size_t>(size), -1), met;
  for (int64_t e = 0; e < count; ++e) {
    int64_t& of = row[static_cast<size_t>(place[e])];
    if (of < 0) {
      of = rows++;
      named.push_back(place[e]);
      met.push_back(1);
    }
    entries.push_back(met[static_cast<size_t>(of)]++);
    columns = std::max(columns, met[static_cast<size_t>(of)]);
  }
  const int64_t one = size + count;
  from.assign(static_cast<size_t>(rows * columns), one);
  for (int64_t r = 0; r < rows && include_self; ++r) {
    from[static_cast<size_t>(r * columns)] = named[static_cast<size_t>(r)];
  }
  for (int64_t e = 0; e < count; ++e) {
    int64_t& entry = entries[static_cast<size_t>(e)];
    entry += row[static_cast<size_t>(place[e])] * columns;
    from[static_cast<size_t>(entry)] = size + e;
  }
}

// Of each row without its first entry, or without that of each element of the source.
std::vector<int64_t> OthersOfA(const Meetings& meetings) {
  std::vector<int64_t> others;
  for (int64_t i = 0; i < meetings.rows * meetings.columns; ++i) {
    if (i % meetings.columns != 0) others.push_back(meetings.from[static_cast<size_t>(i)]);
  }
  return others;
}
std::vector<int64_t> OthersOfSource(const Meetings& meetings) {
  std::vector<int64_t> others;
  for (const int64_t entry : meetings.entries) {
    const int64_t first = entry / meetings.columns * meetings.columns;
    for (int64_t i = first; i < first + meetings.columns; ++i) {
      if (i != entry) others.push_back(meetings.from[static_cast<size_t>(i)]);
    }
  }
  return others;
}

// The same in steps that can be derived, factor by factor: of a the products of what the source
// sends to each place, of the source those of all others. A product has the history of its factors,
// and no other.
Tensor ProductsInSteps(size_t k, int64_t dim, const Reduced& of, bool include_self) {
  const Device device = of.index.device();
  const Meetings meetings(SizesOf(of.a), dim, of.index, include_self);
  // Where nothing meets there are products of no element, with a history all the same.
  const bool is_empty = meetings.rows == 0;
  const int64_t of_a = of.a.numel(), factors = is_empty ? 1 : meetings.columns - 1;
  const Tensor one = Tensor::Full({1}, 1, of.a.dtype(), device);
  const auto part = [](const Tensor& t, bool is_factor) {
    return ReshapeTo(is_factor ? t : Alias(t, SameGeometry(t)), {t.numel()});
  };
  const auto factor = [&](const std::vector<int64_t>& others, int64_t rows, int64_t which) {
    std::vector<int64_t> from;
    for (int64_t r = 0; r < rows; ++r) {
      from.push_back(others[static_cast<size_t>(r * factors + which)]);
    }
    const auto some = [&](int64_t begin, int64_t end) {
      return std::ranges::any_of(from, [=](int64_t at) { return begin <= at && at < end; });
    };
    const Tensor a = part(of.a, some(0, of_a) || (is_empty && k == 1 && include_self));
    const bool sends = some(of_a, of_a + of.source.numel()) || (is_empty && k == 0);
    const Tensor source = part(of.source, sends);
    return IndexSelect(Cat({&a, &source, &one}, 0), 0, IndexList(from, device));
  };
  const auto products = [&](const std::vector<int64_t>& others, int64_t rows) {
    Tensor product = factor(others, rows, 0);
    for (int64_t which = 1; which < factors; ++which) {
      product = Mul(product, factor(others, rows, which));
    }
    return product;
  };
  if (k == 1) {
    return ReshapeTo(products(OthersOfSource(meetings), of.index.numel()), of.index.sizes());
  }
  const Tensor ones = Tensor::Full({of_a}, 1, of.a.dtype(), device);
  const Tensor there = products(OthersOfA(meetings), meetings.rows);
  return ReshapeTo(Scatter(ones, 0, IndexList(meetings.named, device), there), of.a.sizes());
}

// g times the product of all others that meet in the place.
Tensor ProductDerivative(size_t k, const Tensor& g, int64_t dim, const Reduced& of,
                         bool include_self) {
  if (k == 0 && !include_self) return Beside(g, dim, of.index);
  const Tensor there = k == 0 ? g : Gather(g, dim, of.index);
  if (ShouldRecord(of.a, of.source)) {
    return Mul(there, ProductsInSteps(k, dim, of, include_self));
  }
  const Tensor ones = Tensor::Full(of.a.sizes(), 1, g.dtype(), g.device());
  return Mul(there, k == 0 ? kernels::ScatterMul(ones, dim, of.index, of.source)
                           : ProductsOfOthers(of, dim, include_self));
}

}  // namespace

Tensor ScatterReduce(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source,
                     ScatterReduction reduction, bool include_self) {
  CheckIndices(kOp, a, dim, index, source);
  if (!IsFloating(a.dtype())) kernels::RefuseDType(kOp, a.dtype(), kernels::kFloatTypes);
  kernels::CheckSameKind(kOp, a, source);
  Tensor result = Values(a, dim, index, source, reduction, include_self);
  if (!ShouldRecord(a, source)) return result;
  const bool extreme = IsExtreme(reduction);
  const bool reads = extreme || reduction == ScatterReduction::kProd;
  const Tensor none;
  Record<4>("ScatterReduceBackward", result, {&a, &source},
            [dim, reduction, include_self](size_t k, const Tensor& g, const Tensor* saved) {
              const Reduced of{saved[1], saved[0], saved[2], saved[3]};
              if (IsExtreme(reduction)) return ExtremeDerivative(k, g, dim, of, include_self);
              if (reduction == ScatterReduction::kProd) {
                return ProductDerivative(k, g, dim, of, include_self);
              }
              const Tensor share = reduction == ScatterReduction::kSum
                                       ? g
                                       : Div(g, CountsAt(g, dim, of.index, include_self));
              if (k == 1) return Gather(share, dim, of.index);
              return include_self ? share : Beside(share, dim, of.index);
            })
      ->Save(reads ? a : none)
      ->Save(index)
      ->Save(reads ? source : none)
      ->Save(extreme ? result : none, /*is_output=*/extreme);
  return result;
}

}  // namespace twingrad::ops
