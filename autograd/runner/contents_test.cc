// What counts as a write: other bytes, whoever put them there, and a .grad that came or went.

#include "autograd/runner/contents.h"

#include <vector>

#include "autograd/graph/variable.h"
#include "autograd/runner/grads.h"
#include "gtest/gtest.h"

namespace twingrad::runner {
namespace {

using program::WriteRecord;

TEST(ContentsTest, TellsWhichValuesAndGradsHoldSomethingElse) {
  std::vector<Tensor> values = {Tensor(), Tensor::Ones({2}, DType::kF64),
                                Tensor::Ones({1}, DType::kF32), Tensor()};
  SetRequiresGrad(values[1], true);
  SetGrad(values[1], Tensor::Ones({2}, DType::kF64));
  Contents contents;
  contents.Take(values);
  values[3] = Tensor::Ones({3}, DType::kF64);
  EXPECT_EQ(contents.Changed(values, GradsOf(values)), std::vector<WriteRecord>())
      << "what a call makes is new";
  values[2].mutable_data<float>()[0] = 2;
  EXPECT_EQ(contents.Changed(values, GradsOf(values)), (std::vector<WriteRecord>{{2, false}}));
  GradOf(values[1]).mutable_data<double>()[1] = 2;
  EXPECT_EQ(contents.Changed(values, GradsOf(values)),
            (std::vector<WriteRecord>{{1, true}, {2, false}}));
  contents.Take(values);
  EXPECT_EQ(contents.Changed(values, GradsOf(values)), std::vector<WriteRecord>());
  SetGrad(values[1], Tensor());
  EXPECT_EQ(contents.Changed(values, GradsOf(values)), (std::vector<WriteRecord>{{1, true}}));
}

TEST(ContentsTest, AWriteShowsInAllWhoShareTheMemory) {
  std::vector<Tensor> values = {Tensor::Ones({2}, DType::kF64)};
  values.push_back(values[0].Detach());
  Contents contents;
  contents.Take(values);
  values[0].mutable_data<double>()[0] = 3;
  EXPECT_EQ(contents.Changed(values, GradsOf(values)),
            (std::vector<WriteRecord>{{0, false}, {1, false}}));
}

}  // namespace
}  // namespace twingrad::runner
