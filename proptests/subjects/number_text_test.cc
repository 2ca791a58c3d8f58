#include "proptests/subjects/number_text.h"

#include "gtest/gtest.h"

namespace twingrad::subjects {
namespace {

TEST(NumberTextTest, SeparatesThousands) {
  EXPECT_EQ(WithSeparators(0), "0");
  EXPECT_EQ(WithSeparators(999), "999");
  EXPECT_EQ(WithSeparators(1000), "1,000");
  EXPECT_EQ(WithSeparators(1234567), "1,234,567");
}

}  // namespace
}  // namespace twingrad::subjects
