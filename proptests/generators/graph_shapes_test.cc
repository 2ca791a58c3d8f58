// The shape that each part promises, in most Programs made with it.

#include <algorithm>
#include <cstdint>

#include "autograd/program/analyze.h"
#include "proptests/generators/part_test_support.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

TEST(Chain, GrowsFromTheLeaf) {
  const int grown = CountOf(AddChain, [](const Program& p) { return p.statements.size() >= 3; });
  EXPECT_GT(grown, 250);
}

// Law: it has as many nodes as asked for, is valid, and leaves few values to choose from.
TEST(LongGraph, HasTheNodesAskedFor) {
  int most_edges = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Source source = Source::FromSeed(seed);
    const GeneratorOptions options;
    Draft draft(options, source);
    draft.Leaf({DType::kF64, {}}, Bits(1, 0), /*grad=*/true, program::kCpu, Range());
    AddLongGraph(draft, 5000);
    int usable = 0;
    for (ValueId v = 0; v < draft.num_values(); ++v) usable += draft[v].usable ? 1 : 0;
    EXPECT_LT(usable, 40) << seed;
    const Program p = draft.Take();
    EXPECT_GE(p.statements.size(), 5002u) << seed;
    EXPECT_LE(p.statements.size(), 5003u) << seed;
    EXPECT_TRUE(program::Validate(p).ok()) << seed;
    for (ValueId v = 0; v < 2; ++v) most_edges = std::max(most_edges, UsesOf(p, v));
  }
  EXPECT_GT(most_edges, 3500);  // into the node of a leaf that most ops share
}

TEST(FanOut, OneValueHasSeveralConsumers) {
  const int fans = CountOf(AddFanOut, [](const Program& p) { return UsesOf(p, 0) >= 2; });
  EXPECT_GT(fans, 240);
}

TEST(Diamond, TwoWaysLeadToOneTip) {
  const int diamonds = CountOf(AddDiamond, [](const Program& p) {
    const auto& tip = p.statements.back();
    return tip.operands.size() == 2 && UsesOf(p, 0) >= 2;
  });
  EXPECT_GT(diamonds, 120);
}

TEST(Ladder, RungsTakeTheTwoValuesBefore) {
  const int ladders = CountOf(AddLadder, [](const Program& p) {
    const auto& rung = p.statements.back();
    return rung.operands.size() == 2 && rung.operands[0] != rung.operands[1];
  });
  EXPECT_GT(ladders, 150);
}

TEST(SharedSubgraph, AResultHasTwoConsumers) {
  const int shared = CountOf(AddSharedSubgraph, [](const Program& p) {
    for (ValueId v = 1; v < static_cast<ValueId>(p.names.size()); ++v) {
      if (UsesOf(p, v) >= 2) return true;
    }
    return false;
  });
  EXPECT_GT(shared, 200);
}

TEST(RepeatedOperand, BothPlacesHoldOneValue) {
  const int repeated = CountOf(AddRepeatedOperand, [](const Program& p) {
    const auto& last = p.statements.back();
    return last.operands.size() == 2 && last.operands[0] == last.operands[1];
  });
  EXPECT_GT(repeated, 240);
}

TEST(UnusedInput, NoCallNeedsIt) {
  const int unused = CountOf(AddUnusedInput, [](const Program& p) { return UsesOf(p, 1) == 0; });
  EXPECT_GT(unused, 150);
  EXPECT_LT(unused, 300);
}

}  // namespace
}  // namespace twingrad::generators
