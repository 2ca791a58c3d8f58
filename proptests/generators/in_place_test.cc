#include "proptests/generators/in_place.h"

#include "autograd/program/signature.h"
#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

bool IsWrite(const Program& p, size_t i) {
  return twingrad::program::SignatureOf(p.statements[i].op).category ==
         twingrad::program::Category::kInPlace;
}

TEST(InPlace, MostDraftsHoldAWrite) {
  const int writes = CountOf(AddInPlace, [](const Program& p) {
    for (size_t i = 0; i < p.statements.size(); ++i) {
      if (IsWrite(p, i)) return true;
    }
    return false;
  });
  EXPECT_GT(writes, 180);
}

TEST(InPlace, LeavesThatRequireGradAreLeftAlone) {
  const int wrong = CountOf(AddInPlace, [](const Program& p) {
    for (size_t i = 0; i < p.statements.size(); ++i) {
      if (IsWrite(p, i) && p.statements[i].operands[0] == 0) return true;
    }
    return false;
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace twingrad::generators
