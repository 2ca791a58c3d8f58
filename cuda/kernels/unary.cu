// Functions of one element, for each element.
#include <cstdint>

#include "autograd/tensor/kernels/bodies.h"
#include "autograd/tensor/kernels/limits.h"
#include "autograd/tensor/kernels/numbers.h"
#include "autograd/tensor/kernels/sinc.h"
#include "cuda/kernels/bodies.h"

namespace twingrad::cuda {
namespace {

using namespace twingrad::kernels;

template <class Number>
bool KnowFloats() {
  return Know<MapBody<Apply<Number>, float, float>, MapBody<Apply<Number>, double, double>>();
}

template <class... Numbers>
bool KnowAll() {
  return (... && [] {
    if constexpr (Numbers::kTakesIntegers) Know<MapBody<Apply<Numbers>, int64_t, int64_t>>();
    return KnowFloats<Numbers>();
  }());
}

template <class T>
bool KnowTests() {
  return Know<MapBody<ClampedTo<T>, T, T>, MapBody<SincDerivative<T>, T, T>,
              MapBody<LiesWithin<T>, bool, T>, MapBody<Apply<IsPositiveNumber>, bool, T>,
              MapBody<Apply<IsZeroNumber>, bool, T>>();
}

[[maybe_unused]] const bool kKnown =
    KnowAll<NegNumber, AbsNumber, ReluNumber, SgnNumber, SquareNumber, ExpNumber, LogNumber,
            SqrtNumber, SinNumber, CosNumber, TanNumber, AsinNumber, AcosNumber, AtanNumber,
            SinhNumber, CoshNumber, AsinhNumber, AcoshNumber, AtanhNumber, ErfNumber, ErfcNumber,
            Expm1Number, Log1pNumber, Log2Number, Log10Number, Exp2Number, RsqrtNumber,
            ReciprocalNumber, TanhNumber, SigmoidNumber, SiluNumber, SoftplusNumber, GeluNumber,
            GeluTanhNumber>() &&
    KnowTests<float>() && KnowTests<double>();

}  // namespace
}  // namespace twingrad::cuda
