#include "proptests/generators/alias.h"

#include "autograd/program/signature.h"
#include "proptests/generators/part_test_support.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

TEST(View, ViewsOfEveryKindOccur) {
  for (Opcode op :
       {Opcode::kView, Opcode::kReshape, Opcode::kTranspose, Opcode::kPermute, Opcode::kExpand,
        Opcode::kSelect, Opcode::kSlice, Opcode::kSqueeze, Opcode::kUnsqueeze, Opcode::kT,
        Opcode::kDiagonal, Opcode::kUnfold, Opcode::kAlias, Opcode::kAsStrided, Opcode::kUnbind,
        Opcode::kSplit, Opcode::kChunk}) {
    EXPECT_GT(CountWith(AddView, op), 10);
  }
}

bool WritesInPlace(const program::Statement& statement) {
  return program::SignatureOf(statement.op).category == program::Category::kInPlace;
}

TEST(InPlace, MostDraftsHoldAWrite) {
  const int writes =
      CountOf(AddInPlace, [](const Program& p) { return HasStatement(p, WritesInPlace); });
  EXPECT_GT(writes, 180);
}

TEST(InPlace, LeavesThatRequireGradAreLeftAlone) {
  const int wrong = CountOf(AddInPlace, [](const Program& p) {
    return HasStatement(p, [](const auto& s) { return WritesInPlace(s) && s.operands[0] == 0; });
  });
  EXPECT_EQ(wrong, 0);
}

TEST(NoGrad, RegionsAndDetachOccur) {
  EXPECT_GT(CountWith(AddNoGrad, Opcode::kBegin), 100);
  EXPECT_GT(CountWith(AddNoGrad, Opcode::kDetach), 80);
}

}  // namespace
}  // namespace twingrad::generators
