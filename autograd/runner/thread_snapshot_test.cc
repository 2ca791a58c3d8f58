// Each part of a thread's state that changes shows, and goes when it is put back.

#include "autograd/runner/thread_snapshot.h"

#include <any>
#include <string>

#include <gtest/gtest.h>

#include "autograd/graph/saved_tensor_hooks.h"
#include "autograd/program/observation_text.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::runner {
namespace {

std::string ChangesOf(const ThreadSnapshot& before) {
  return program::ThreadPartsText(before.Changes());
}

TEST(ThreadSnapshot, ShowsWhatChangesAndWhatIsPutBack) {
  const ThreadSnapshot before;
  EXPECT_EQ(ChangesOf(before), "");
  {
    const NoGradGuard no_grad;
    EXPECT_EQ(ChangesOf(before), "grad_mode");
  }
  {
    Modes modes;
    modes.inference = true;
    modes.check_nan = false;
    const ModesScope scope(modes);
    EXPECT_EQ(ChangesOf(before), "anomaly inference");
  }
  {
    const SavedTensorHooksGuard hooks(
        {.pack = [](const Tensor& t) -> std::any { return t; },
         .unpack = [](const std::any& any) { return std::any_cast<Tensor>(any); }});
    EXPECT_EQ(ChangesOf(before), "saved_hooks");
  }
  ++CurrentEngineThread().depth;
  InferenceTensors() = true;
  EXPECT_EQ(ChangesOf(before), "inference depth");
  --CurrentEngineThread().depth;
  InferenceTensors() = false;
  EXPECT_EQ(ChangesOf(before), "");
}

// A range of keys may be used up, but the thread stays in it.
TEST(ThreadSnapshot, CountsOrderKeys) {
  const ThreadSnapshot before;
  ReserveOrderKeys(3);
  EXPECT_EQ(before.OrderKeysUsed(), 3u);
  EXPECT_EQ(ChangesOf(before), "");
  const OrderScope provisional(ProvisionalOrderKey(1, 0));
  EXPECT_EQ(ChangesOf(before), "order_keys");
}

}  // namespace
}  // namespace twingrad::runner
