#include "tools/adapters/libtorch/failures.h"

#include "gtest/gtest.h"

namespace twingrad::libtorch {
namespace {

TEST(FailuresTest, MessagesHaveAClass) {
  EXPECT_EQ(ClassOf("one of the variables needed for gradient computation has been modified by an "
                    "inplace operation: [torch.DoubleTensor []], ..."),
            ErrorKind::kVersion);
  EXPECT_EQ(ClassOf("element 0 of tensors does not require grad and does not have a grad_fn"),
            ErrorKind::kNoGraph);
  EXPECT_EQ(ClassOf("\"inverse_cpu\" not implemented for 'BFloat16'"), ErrorKind::kUnsupported);
  EXPECT_EQ(ClassOf("\"inverse_cpu\" not implemented for 'Bool'"), ErrorKind::kInternal);
  EXPECT_EQ(ClassOf("derivative for aten::hardsigmoid_backward is not implemented"),
            ErrorKind::kUnsupported);
  EXPECT_EQ(ClassOf("got 2 tensors and 1 gradients"), ErrorKind::kGradCount);
  EXPECT_EQ(ClassOf("Function 'SqrtBackward0' returned nan values in its 0th output."),
            ErrorKind::kAnomaly);
  EXPECT_EQ(ClassOf("INTERNAL ASSERT FAILED"), ErrorKind::kInternal);
}

}  // namespace
}  // namespace twingrad::libtorch
