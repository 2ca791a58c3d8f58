#include "autograd/runner/accessors.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "autograd/graph/thread_state.h"
#include "autograd/runner/tensor_data.h"

namespace twingrad::runner {
namespace {

std::vector<program::AccessorRecord> NotesOn(const Tensor& gradient,
                                             const program::TensorData& read) {
  const NoGradGuard no_grad;
  std::vector<program::AccessorRecord> records;
  ReadByAccessors(gradient, read, {/*value=*/0, /*is_grad=*/true, records});
  return records;
}

TEST(Accessors, ShowWhatWasRead) {
  const Tensor full = Tensor::FromData<double>({2, 3}, {1, -0.0, 3, 4, 5, 6});
  for (const Tensor& gradient :
       {full, full.AsStrided({3, 2}, {1, 3}, 0), full.AsStrided({2}, {3}, 1),
        full.AsStrided({2, 2}, {0, 1}, 1), Tensor::Scalar(0.1), Tensor::Scalar(0.1, DType::kF32),
        Tensor::Zeros({0, 3}, DType::kF64), Tensor::Zeros({3, 0}, DType::kF64)}) {
    EXPECT_TRUE(NotesOn(gradient, DataOf(gradient)).empty());
  }
}

// Each compares: what none of them shows, each notes.
TEST(Accessors, EachNotesADifference) {
  const Tensor gradient = Tensor::FromData<double>({1}, {3});
  program::TensorData other = DataOf(gradient);
  other.bits[0] ^= 1;
  std::vector<std::string> words;
  for (const auto& record : NotesOn(gradient, other)) {
    EXPECT_EQ(record.expected, other);
    EXPECT_EQ(record.shown, DataOf(gradient));
    words.push_back(record.accessor);
  }
  EXPECT_EQ(words, (std::vector<std::string>{"clone", "detach", "data", "item", "rows", "again"}));
}

}  // namespace
}  // namespace twingrad::runner
