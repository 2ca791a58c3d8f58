// Errors are made, whatever the Draft holds.

#include "proptests/generators/part_test_support.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

TEST(Error, MostDraftsGainAStatement) {
  EXPECT_GT(CountOf(AddError, [](const Program& p) { return p.statements.size() > 1; }), 200);
}

}  // namespace
}  // namespace twingrad::generators
