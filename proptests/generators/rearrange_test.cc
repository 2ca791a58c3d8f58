#include "proptests/generators/rearrange.h"

#include <algorithm>
#include <cstdint>

#include "autograd/program/parts.h"
#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

// Each family makes each of its ops, in valid Programs.
void Covers(ValueId (*apply)(Draft&, ValueId), std::initializer_list<Opcode> ops) {
  for (const Opcode op : ops) {
    const int found = CountWith([&](Draft& draft) { apply(draft, 0); }, op, 2600);
    EXPECT_GT(found, 5) << static_cast<int>(op);
  }
}

TEST(Rearrange, MakesEachOfItsOps) {
  Covers(ApplyRearrange, {Opcode::kCat,
                          Opcode::kStack,
                          Opcode::kFlip,
                          Opcode::kIndexSelect,
                          Opcode::kGather,
                          Opcode::kScatterAdd,
                          Opcode::kSort,
                          Opcode::kArgsort,
                          Opcode::kCumsum,
                          Opcode::kCumprod,
                          Opcode::kLogcumsumexp,
                          Opcode::kRoll,
                          Opcode::kTril,
                          Opcode::kTriu,
                          Opcode::kPad,
                          Opcode::kPadReflect,
                          Opcode::kPadReplicate,
                          Opcode::kPadCircular,
                          Opcode::kRepeat,
                          Opcode::kEmbedding,
                          Opcode::kScatter,
                          Opcode::kIndex,
                          Opcode::kIndexPut,
                          Opcode::kScatterReduce,
                          Opcode::kMaskedSelect,
                          Opcode::kSelectScatter,
                          Opcode::kSliceScatter,
                          Opcode::kDiagonalScatter,
                          Opcode::kAsStridedScatter});
}

// How many embeddings of one weight have sparse gradients, at most.
int64_t MostSparse(const Program& program, bool of_leaves) {
  int64_t most = 0;
  for (const auto& weight : program.statements) {
    if (weight.results.empty() || (weight.op == Opcode::kLeaf) != of_leaves) continue;
    most = std::max<int64_t>(
        most, std::ranges::count_if(program.statements, [&weight](const auto& s) {
          return s.op == Opcode::kEmbedding && s.template Get<bool>(Key::kSparse) &&
                 s.operands[0] == weight.results[0];
        }));
  }
  return most;
}

TEST(Rearrange, SomeEmbeddingsHaveSparseGradients) {
  const auto any = [](Draft& draft) {
    for (int k = 0; k < 12; ++k) ApplyRearrange(draft, draft.PickDifferentiable());
  };
  const auto count = [&](bool of_leaves, int64_t times) {
    return CountOf(
        any, [&](const Program& program) { return MostSparse(program, of_leaves) >= times; }, 1500);
  };
  EXPECT_GT(count(true, 1), 5);
  EXPECT_GT(count(false, 1), 5);
  EXPECT_GT(count(true, 2) + count(false, 2), 3);
}

// Whether a later statement takes the indices that an op gave.
bool PicksByGiven(const Program& program) {
  return std::any_of(program.statements.begin(), program.statements.end(), [&](const auto& s) {
    return twingrad::program::GivesIndices(s) && UsesOf(program, s.results[1]) > 0;
  });
}

TEST(Rearrange, IndicesThatAnOpGivesArePickedBy) {
  EXPECT_GT(CountOf([](Draft& draft) { ApplyRearrange(draft, 0); }, PicksByGiven, 1800), 20);
  EXPECT_GT(CountOf([](Draft& draft) { ApplyFold(draft, 0); }, PicksByGiven, 1800), 20);
  const auto apart = [](Draft& draft) {
    draft.OpWithIndices(Opcode::kSort, 0, {{Key::kDim, int64_t{0}}});
    for (int k = 0; k < 8; ++k) ApplyRearrange(draft, 0);
  };
  EXPECT_GT(CountOf(apart, PicksByGiven, 300), 20);
}

TEST(Rearrange, FoldsMakeEachOfTheirOps) {
  Covers(ApplyFold,
         {Opcode::kProd, Opcode::kAmax, Opcode::kAmin, Opcode::kMax, Opcode::kMin, Opcode::kArgmax,
          Opcode::kArgmin, Opcode::kLogsumexp, Opcode::kVar, Opcode::kStd, Opcode::kNorm});
}

TEST(Rearrange, LossesMakeEachOfTheirOps) {
  Covers(ApplyLoss, {Opcode::kSoftmax, Opcode::kLogSoftmax, Opcode::kMseLoss, Opcode::kSmoothL1Loss,
                     Opcode::kCrossEntropy});
}

TEST(Rearrange, ProductsAreAddedToSomething) {
  Covers(ApplyAddmm,
         {Opcode::kAddmm, Opcode::kAddmv, Opcode::kAddr, Opcode::kBaddbmm, Opcode::kAddbmm});
}

}  // namespace
}  // namespace twingrad::generators
