#include "proptests/mutants/planted.h"

#include <string>

#include "gtest/gtest.h"

namespace twingrad::mutants {
namespace {

TEST(PlantedTest, OnlyWhatALinkedCopyAddsIsThere) {
  testing::internal::CaptureStderr();
  EXPECT_FALSE(CheckPlanted("wrong_sign"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "[mutants] no copy with the defect `wrong_sign` is linked, so the original is what "
            "would run; linked are: none; list the copies among the srcs of the program\n");
  AddPlanted("wrong_sign", "autograd/ops/arithmetic.cc");
  EXPECT_TRUE(CheckPlanted("wrong_sign"));
  testing::internal::CaptureStderr();
  EXPECT_FALSE(CheckPlanted("lost_hook"));
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "linked are: wrong_sign in autograd/ops/arithmetic.cc;"),
            std::string::npos);
}

}  // namespace
}  // namespace twingrad::mutants
