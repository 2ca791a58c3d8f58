#include "autograd/sync/backend.h"

#include "gtest/gtest.h"

namespace autograd::sync {
namespace {

// That the two back ends cannot be mixed is shown by //autograd/sync:backend_mix_test.
TEST(BackendTest, OrdinaryBuildsUseTheStandardBackEnd) {
  EXPECT_FALSE(kIsModel);
  EXPECT_EQ(autograd_sync_backend_is_standard, 's');
  EXPECT_EQ(kBackendTag, &autograd_sync_backend_is_standard);
}

}  // namespace
}  // namespace autograd::sync
