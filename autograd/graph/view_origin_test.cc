// The messages about views that cannot be written, or not be given a new node, word by word.

#include "autograd/graph/view_origin.h"

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "autograd/base/error.h"
#include "autograd/base/test_errors.h"

namespace twingrad {
namespace {

std::string TextOf(const std::function<void()>& action) {
  return MessageOf(ErrorKind::kInvalidArgument, action);
}

// Rules: L6.
TEST(ViewOriginTest, EachOriginSaysWhyAndWhatToDo) {
  EXPECT_EQ(TextOf([] { RefuseWrite(ViewOrigin::kNoGrad); }),
            "[view] a view that was made without grad mode is written in grad mode; views made in "
            "grad mode may be written; make the view in grad mode, or write without");
  EXPECT_EQ(TextOf([] { RefuseWrite(ViewOrigin::kInferenceMode); }),
            "[view] a view that was made in inference mode is written in grad mode; views made in "
            "grad mode may be written; make the view outside inference mode, or write in it");
  EXPECT_EQ(TextOf([] { RefuseWrite(ViewOrigin::kMultiOutput); }),
            "[view] a view that is one of several results of a node is written in grad mode; its "
            "gradient goes through that node together with its siblings'; use an operation that is "
            "not in place, or clone() the view first");
  EXPECT_EQ(TextOf([] { RefuseWrite(ViewOrigin::kCustomFunction); }),
            "[view] a view that a custom function returned, or an operand that it returned as it "
            "is, is written in grad mode; the gradient of the write would go past the function's "
            "own backward; clone() what the function returned first");
  EXPECT_EQ(TextOf([] { RefuseRenewal(ViewOrigin::kMultiOutput); }),
            "[view] a view that is one of several results of a node is used after a write to its "
            "base or to another view of that; its gradient goes through that node together with "
            "its siblings'; use an operation that is not in place, or clone() the view first");
}

TEST(ViewOriginTest, FunctionsOfTheUserKeepTheirBackward) {
  EXPECT_TRUE(IsRenewable(ViewOrigin::kDefault));
  EXPECT_TRUE(IsRenewable(ViewOrigin::kNoGrad));
  EXPECT_TRUE(IsRenewable(ViewOrigin::kInferenceMode));
  EXPECT_FALSE(IsRenewable(ViewOrigin::kMultiOutput));
  EXPECT_FALSE(IsRenewable(ViewOrigin::kCustomFunction));
}

}  // namespace
}  // namespace twingrad
