// What a Draft knows of the results of a custom function.

#include <string>
#include <vector>

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

TEST(DraftCustom, FloatingResultsShareANode) {
  Bench bench;
  Draft& draft = bench.draft;
  const ValueId x = bench.Leaf(2, true);
  const ValueId y = bench.Leaf(2, false);
  const std::vector<ValueId> pass = draft.Custom({x, y}, {{Key::kDo, std::string("pass")}});
  ASSERT_EQ(pass.size(), 2u);
  EXPECT_EQ(draft.NodeOf(pass[0]), draft.NodeOf(pass[1]));
  EXPECT_TRUE(draft.RequiresGrad(pass[1]));
  EXPECT_TRUE(draft.MayWrite(pass[0]));
  draft.Custom({pass[0]}, {{Key::kDo, std::string("square")}});
  EXPECT_FALSE(draft.MayWrite(pass[0])) << "it was saved";
  const std::vector<ValueId> constant = draft.Custom({y}, {{Key::kDo, std::string("pass")}});
  EXPECT_FALSE(draft.RequiresGrad(constant[0]));
}

}  // namespace
}  // namespace twingrad::generators
