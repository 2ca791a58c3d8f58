#include "proptests/generators/rearrange.h"

#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

// Each family makes each of its ops, in valid Programs.
void Covers(ValueId (*apply)(Draft&, ValueId), std::initializer_list<Opcode> ops) {
  for (const Opcode op : ops) {
    const int found = CountWith([&](Draft& draft) { apply(draft, 0); }, op, 1800);
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
