// Every kind of error has the name of its class in program/observation.h.

#include "autograd/base/error.h"

#include <gtest/gtest.h>

#include "autograd/program/observation.h"

namespace twingrad {
namespace {

TEST(ErrorTest, CarriesKindAndMessage) {
  try {
    throw Error(ErrorKind::kShape, "[tensor] wrong");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kShape);
    EXPECT_STREQ(error.what(), "[tensor] wrong");
  }
}

TEST(ErrorTest, KindsStandInTheOrderOfTheObservation) {
  using program::ErrorClass;
  EXPECT_EQ(static_cast<int>(ErrorKind::kInvalidArgument),
            static_cast<int>(ErrorClass::kInvalidArgument));
  EXPECT_EQ(static_cast<int>(ErrorKind::kDomain), static_cast<int>(ErrorClass::kDomain));
  EXPECT_EQ(static_cast<int>(ErrorKind::kNoGraph), static_cast<int>(ErrorClass::kNoGraph));
  EXPECT_EQ(static_cast<int>(ErrorKind::kVersion), static_cast<int>(ErrorClass::kVersion));
  EXPECT_EQ(static_cast<int>(ErrorKind::kHook), static_cast<int>(ErrorClass::kHook));
  EXPECT_EQ(static_cast<int>(ErrorKind::kInternal), static_cast<int>(ErrorClass::kInternal));
}

TEST(ErrorTest, NamesFollowTheKinds) {
  EXPECT_EQ(ErrorKindName(ErrorKind::kInvalidArgument), "InvalidArgument");
  EXPECT_EQ(ErrorKindName(ErrorKind::kFreed), "Freed");
  EXPECT_EQ(ErrorKindName(ErrorKind::kInternal), "Internal");
}

}  // namespace
}  // namespace twingrad
