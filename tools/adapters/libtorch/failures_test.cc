#include "tools/adapters/libtorch/failures.h"

#include "gtest/gtest.h"

namespace twingrad::libtorch {
namespace {

using twingrad::program::ErrorClass;

TEST(FailuresTest, MessagesHaveAClass) {
  EXPECT_EQ(ClassOf("one of the variables needed for gradient computation has been modified by an "
                    "inplace operation: [torch.DoubleTensor []], ..."),
            ErrorClass::kVersion);
  EXPECT_EQ(ClassOf("element 0 of tensors does not require grad and does not have a grad_fn"),
            ErrorClass::kNoGraph);
  EXPECT_EQ(ClassOf("got 2 tensors and 1 gradients"), ErrorClass::kGradCount);
  EXPECT_EQ(ClassOf("INTERNAL ASSERT FAILED"), ErrorClass::kInternal);
}

}  // namespace
}  // namespace twingrad::libtorch
