// The benchmark's training steps on this engine over CUDA.

#include "autograd/autograd.h"
#include "tools/bench/contestant.h"
#include "tools/bench/training.h"
#include "tools/bench/twingrad_training.h"

int main() {
  using twingrad::bench::TwingradTraining;
  TwingradTraining::device = twingrad::Device::Cuda(0);
  twingrad::bench::CaseTable cases;
  twingrad::bench::Training<TwingradTraining>::AddTo(cases);
  return twingrad::bench::Serve("twingrad", cases);
}
