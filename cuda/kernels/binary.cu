// Functions of two elements, for each pair; folds over them, and matrix products.
#include <cstdint>

#include "autograd/tensor/kernels/bodies.h"
#include "autograd/tensor/kernels/numbers.h"
#include "autograd/tensor/kernels/pair_numbers.h"
#include "cuda/kernels/bodies.h"
#include "cuda/kernels/products.h"

namespace twingrad::cuda {
namespace {

using namespace twingrad::kernels;

// Of this element type, with results of type R.
template <class R, class T, class... Numbers>
bool KnowPairs() {
  return Know<MapBody<Apply<Numbers>, R, T, T>...>();
}

template <class T>
bool KnowNumbers() {
  return KnowPairs<T, T, AddNumber, SubNumber, MulNumber, PowNumber, MaximumNumber,
                   MinimumNumber>() &&
         Know<FoldBody<AddNumber, T>, FoldBody<MulNumber, T>, FoldBody<MaximumNumber, T>,
              FoldBody<MinimumNumber, T>>();
}

template <class T>
void LaunchProduct(const char* op, const Product<T>& body, int64_t count,
                   Span<const BodyAccess> accesses, Stream stream) {
  if (!MultiplyByBlas(op, body, stream)) LaunchBody(op, body, count, accesses, stream);
}

template <class T>
bool KnowFloats() {
  launcher_of<Product<T>> = LaunchProduct<T>;
  return KnowNumbers<T>() &&
         KnowPairs<T, T, DivNumber, LogAddExpNumber, Atan2Number, XLogYNumber, FmodNumber,
                   RemainderNumber, TruncatedQuotientNumber, FlooredQuotientNumber, GatedNumber,
                   MaximumWeightNumber, ScaleOfSquaresNumber>() &&
         Know<MapBody<SubScaled<T>, T, T, T>, TriangularMatmulBody<MulNumber, AddNumber, T>>() &&
         KnowPairs<bool, T, EqualNumber, PowIsFlatInBaseNumber, PowIsSteepInBaseNumber,
                   PowIsFlatInExponentNumber>();
}

[[maybe_unused]] const bool kKnown = KnowNumbers<int64_t>() && Know<Product<int64_t>>() &&
                                     KnowFloats<float>() && KnowFloats<double>();

}  // namespace
}  // namespace twingrad::cuda
