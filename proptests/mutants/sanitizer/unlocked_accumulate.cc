// Two tasks that add to one leaf's `.grad`, whose accumulation was robbed of its lock
// (unlocked_accumulate.patch). TSan must report it.
#include <thread>

#include "autograd/graph/grad_slot.h"
#include "autograd/tensor/tensor.h"
#include "proptests/mutants/planted.h"

int main() {
  if (!twingrad::mutants::CheckPlanted("unlocked_accumulate")) return 2;
  const auto slot = twingrad::sync::MakeIntrusive<twingrad::GradSlot>();
  slot->Set(twingrad::Tensor::Scalar(0));
  const auto add = [&] {
    for (int i = 0; i < 200; ++i) slot->Accumulate(twingrad::Tensor::Scalar(1));
  };
  std::thread other(add);
  add();
  other.join();
}
