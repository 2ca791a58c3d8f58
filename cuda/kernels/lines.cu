// What goes along lines, and windows.
#include <cstdint>

#include "autograd/tensor/kernels/line_bodies.h"
#include "autograd/tensor/kernels/numbers.h"
#include "autograd/tensor/kernels/window_bodies.h"
#include "cuda/kernels/bodies.h"

namespace twingrad::cuda {
namespace {

using namespace twingrad::kernels;

template <class T>
bool KnowNumbers() {
  return Know<SortBody<T>, ExtremeIndexBody<T>, RunningExtremeBody<T>, RunningBody<AddNumber, T>,
              RunningBody<MulNumber, T>, CumprodGradientBody<T>, ProductOfOthersBody<T>>();
}

template <class T>
bool KnowFloats() {
  return KnowNumbers<T>() &&
         Know<LogcumsumexpBody<T>, DampedSumBody<T>, UnfoldBody<T>, UnfoldBoxesBody<T>,
              FoldBackBody<T>, FoldBoxesBody<T>, IndexOfGreatestBody<T>,
              IndexOfGreatestBoxesBody<T>, GiveToGreatestBody<T>>();
}

[[maybe_unused]] const bool kKnown =
    KnowNumbers<int64_t>() && KnowFloats<float>() && KnowFloats<double>();

}  // namespace
}  // namespace twingrad::cuda
