// What goes along lines, and windows.
#include <cstdint>

#include "autograd/tensor/kernels/convolution_bodies.h"
#include "autograd/tensor/kernels/line_bodies.h"
#include "autograd/tensor/kernels/numbers.h"
#include "autograd/tensor/kernels/window_bodies.h"
#include "cuda/kernels/bodies.h"
#include "cuda/kernels/convolutions.h"

namespace twingrad::cuda {
namespace {

using namespace twingrad::kernels;

template <class T>
bool KnowNumbers() {
  return Know<SortBody<T>, ExtremeIndexBody<T>, RunningExtremeBody<T>, RunningBody<AddNumber, T>,
              RunningBody<MulNumber, T>, CumprodGradientBody<T>, ProductOfOthersBody<T>>();
}

// By cuDNN; where that is a product of matrices, without its terms that are none of the sum.
template <class T>
bool LaunchConvolution(const char* op, const ConvolutionWork<T>& work,
                       Span<const BodyAccess> accesses, Stream stream) {
  if (!ConvolveByDnn(op, work, stream)) return false;
  if (work.part == ConvolutionPart::kWide) {
    const ResumNansBody<T> body{work.weights, work.narrow, work.wide, work.shape};
    LaunchBody(op, body, body.Pieces(), accesses, stream);
  }
  return true;
}

template <class T>
bool KnowFloats() {
  convolution_launcher<T> = LaunchConvolution<T>;
  return KnowNumbers<T>() &&
         Know<LogcumsumexpBody<T>, DampedSumBody<T>, UnfoldBody<T>, UnfoldBoxesBody<T>,
              FoldBackBody<T>, FoldBoxesBody<T>, IndexOfGreatestBody<T>,
              IndexOfGreatestBoxesBody<T>, GiveToGreatestBody<T>>();
}

[[maybe_unused]] const bool kKnown =
    KnowNumbers<int64_t>() && KnowFloats<float>() && KnowFloats<double>();

}  // namespace
}  // namespace twingrad::cuda
