#include "proptests/generators/view.h"

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

TEST(View, ViewsOfEveryKindOccur) {
  for (Opcode op :
       {Opcode::kView, Opcode::kReshape, Opcode::kTranspose, Opcode::kPermute, Opcode::kExpand,
        Opcode::kSelect, Opcode::kSlice, Opcode::kSqueeze, Opcode::kUnsqueeze}) {
    EXPECT_GT(CountOf(AddView, [op](const Program& p) { return Holds(p, op); }), 10);
  }
}

}  // namespace
}  // namespace twingrad::generators
