#include "proptests/generators/error.h"

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

TEST(Error, MostDraftsGainAStatement) {
  EXPECT_GT(CountOf(AddError, [](const Program& p) { return p.statements.size() > 1; }), 200);
}

}  // namespace
}  // namespace twingrad::generators
