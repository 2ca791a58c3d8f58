#include "proptests/generators/root.h"

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

TEST(Root, SeedsHaveTheRootsType) {
  CountOf(
      [](Draft& draft) {
        const ValueId root = PickRoot(draft);
        const ValueId seed = MakeSeed(draft, root);
        EXPECT_TRUE(draft.TypeOf(root) == draft.TypeOf(seed));
        EXPECT_FALSE(draft.RequiresGrad(seed));
        EXPECT_FALSE(PickInputs(draft).empty());
      },
      [](const Program&) { return true; });
}

}  // namespace
}  // namespace twingrad::generators
