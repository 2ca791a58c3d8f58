// Fills, copies and conversions, the choice between two, and elements in other places.
#include <cstdint>

#include "autograd/tensor/kernels/bodies.h"
#include "autograd/tensor/kernels/numbers.h"
#include "cuda/kernels/bodies.h"

namespace twingrad::cuda {
namespace {

using namespace twingrad::kernels;

template <class To, class From>
bool KnowConversion() {
  if constexpr (kConvertsAtOnce<To, From>) return Know<MapBody<ConvertTo<To>, To, From>>();
  return true;
}

template <class From, class... To>
bool KnowConversions() {
  return (... && KnowConversion<To, From>());
}

template <class... T>
bool KnowMoves() {
  return Know<FillBody<T>..., MapBody<Constant<T>, T>..., MapBody<Select, T, bool, T, T>...,
              GatherBody<T>..., ScatterBody<LatterNumber, T>...>() &&
         (... && KnowConversions<T, T...>());
}

template <class... T>
bool KnowSums() {
  return Know<ScatterBody<AddNumber, T>...>();
}

template <class... T>
bool KnowReductions() {
  return Know<ScatterBody<MulNumber, T>..., ScatterBody<MaximumNumber, T>...,
              ScatterBody<MinimumNumber, T>...>();
}

[[maybe_unused]] const bool kKnown =
    KnowMoves<float, double, int64_t, bool, Half, BFloat16, int32_t>() &&
    KnowSums<float, double, int64_t>() && KnowReductions<float, double>();

}  // namespace
}  // namespace twingrad::cuda
