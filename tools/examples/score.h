// How well a network tells classes apart.
//
//   NoGradGuard no_grad;
//   const Score score = ScoreOf(network(inputs), classes);   // logits: [n, classes]; i64[n]
//   PrintStep(100, score);

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "autograd/autograd.h"

namespace twingrad::examples {

struct Score {
  double loss = 0;      // cross-entropy, the mean
  double accuracy = 0;  // the share whose greatest logit is that of the class
};

inline Score ScoreOf(const Tensor& logits, const Tensor& classes) {
  const std::vector<double> found = Elements(Argmax(logits, -1)), right = Elements(classes);
  int64_t same = 0;
  for (size_t i = 0; i < right.size(); ++i) same += found[i] == right[i];
  return {Item(CrossEntropy(logits, classes, Reduction::kMean)),
          static_cast<double>(same) / static_cast<double>(right.size())};
}

inline void PrintStep(int step, const Score& score) {
  std::printf("step %4d  loss %.4f  accuracy %.3f\n", step, score.loss, score.accuracy);
  std::fflush(stdout);
}

}  // namespace twingrad::examples
