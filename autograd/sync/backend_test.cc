#include "autograd/sync/backend.h"

#include "gtest/gtest.h"

namespace twingrad::sync {
namespace {

// Built against each back end. That the two cannot be mixed is shown by backend_mix_test.
#if defined(AUTOGRAD_SYNC_MODEL)
TEST(BackendTest, BelowAnInterleavingTestItIsTheModel) {
  EXPECT_TRUE(kIsModel);
  EXPECT_EQ(autograd_sync_backend_is_model, 'm');
  EXPECT_EQ(kBackendTag, &autograd_sync_backend_is_model);
}
#else
TEST(BackendTest, ElsewhereItIsTheStandardOne) {
  EXPECT_FALSE(kIsModel);
  EXPECT_EQ(autograd_sync_backend_is_standard, 's');
  EXPECT_EQ(kBackendTag, &autograd_sync_backend_is_standard);
}
#endif

}  // namespace
}  // namespace twingrad::sync
