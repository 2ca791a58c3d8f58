#include "autograd/random/random.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/base/float_format.h"
#include "autograd/tensor/element.h"
#include "autograd/tensor/kernels/copy.h"

namespace twingrad {
namespace {

void CheckArguments(const char* what, DType dtype, double a, double b, bool in_order,
                    const char* allowed) {
  if (!IsFloating(dtype)) {
    throw Error(ErrorKind::kDType, absl::StrCat("[", what, "] type ", DTypeName(dtype),
                                                "; floats are allowed; cast the result"));
  }
  if (std::isfinite(a) && std::isfinite(b) && std::isfinite(b - a) && in_order) return;
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[", what, "] ", a, " and ", b, "; finite ", allowed, " are allowed"));
}

// Two numbers of 53 bits from a block, in [0, 1).
std::pair<double, double> UnitPair(const PhiloxBlock& block) {
  const auto unit = [](uint32_t high, uint32_t low) {
    return static_cast<double>((uint64_t{high} << 32 | low) >> 11) * 0x1p-53;
  };
  return {unit(block[0], block[1]), unit(block[2], block[3])};
}

// Fills a tensor with pairs of numbers; the last one's second may be left over.
template <class NextPair>
Tensor Filled(Ints shape, DType dtype, Device device, const NextPair& next_pair) {
  Tensor result = Tensor::Empty(shape, dtype, kernels::HostSide(device));
  DispatchAll(dtype, [&](auto zero) {
    using T = decltype(zero);
    T* const data = result.mutable_data<T>();
    for (int64_t i = 0; i < result.numel(); i += 2) {
      const std::pair<double, double> pair = next_pair();
      data[i] = CastNumber<T>(pair.first);
      if (i + 1 < result.numel()) data[i + 1] = CastNumber<T>(pair.second);
    }
  });
  return kernels::MovedTo(result, device);
}

}  // namespace

Tensor Uniform(Ints shape, double low, double high, Generator& generator, DType dtype,
               Device device) {
  CheckArguments("uniform", dtype, low, high, low < high, "low < high");
  // Rounding may lift a number to `high`, which is outside; the one below it is inside.
  const FloatFormat& format = FormatOf(dtype);
  const double last = NextBelow(high, format);
  const auto inside = [&](double unit) {
    const double number = low + (high - low) * unit;
    return Rounded(number, format) < high ? number : last;
  };
  return Filled(shape, dtype, device, [&] {
    const auto [first, second] = UnitPair(generator.NextBlock());
    return std::pair(inside(first), inside(second));
  });
}

Tensor Normal(Ints shape, double mean, double deviation, Generator& generator, DType dtype,
              Device device) {
  CheckArguments("normal", dtype, mean, deviation, deviation >= 0, "mean and deviation >= 0");
  // G. E. P. Box, M. E. Muller, "A note on the generation of random normal deviates", 1958.
  return Filled(shape, dtype, device, [&] {
    const auto [first, second] = UnitPair(generator.NextBlock());
    const double radius = deviation * std::sqrt(-2 * std::log(1 - first));  // 1 - first is not 0
    const double angle = 2 * std::numbers::pi * second;
    return std::pair(mean + radius * std::cos(angle), mean + radius * std::sin(angle));
  });
}

std::vector<int64_t> Permutation(int64_t count, Generator& generator) {
  std::vector<int64_t> order(static_cast<size_t>(ElementCount({count})));
  std::iota(order.begin(), order.end(), 0);
  // R. Durstenfeld, "Algorithm 235: random permutation", 1964.
  for (uint64_t left = order.size(); left > 1; --left) {
    // Words beyond the last whole multiple of `left` would favour small numbers: draw again.
    const uint64_t limit = UINT64_MAX - UINT64_MAX % left;
    uint64_t word = limit;
    while (word >= limit) {
      const PhiloxBlock block = generator.NextBlock();
      word = uint64_t{block[0]} << 32 | block[1];
    }
    std::swap(order[left - 1], order[word % left]);
  }
  return order;
}

}  // namespace twingrad
