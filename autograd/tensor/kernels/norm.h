// Norms: elements less the mean of their group, by the root of its variance, and the gradients.
//
//   const NormGroups groups = {.samples = 64, .channels = 512};      // layer_norm of [64,512]
//   Tensor y = kernels::Normalize(a, weight, bias, groups, 1e-5);
//   NormGradients g = kernels::NormGradientsOf(dy, a, weight, groups, 1e-5, NormWanted());
//
// Of each group its mean, then the mean of the squared distances from it (the two-pass algorithm of
// T. F. Chan, G. H. Golub and R. J. LeVeque, "Algorithms for computing the sample variance", The
// American Statistician 37, 1983), then each result at once: a group that fits in a cache comes
// from memory once. Sums go in the order of processor/loops.h; those of a group that lies in runs
// of some elements are sums of theirs. Floats, not remote; results are fresh and contiguous. No
// history; any thread.

#pragma once

#include <cstdint>

#include "autograd/tensor/tensor.h"

namespace twingrad::kernels {

// Of a tensor whose elements are [samples,groups,channels,places] in row-major order.
struct NormGroups {
  int64_t samples = 1;
  int64_t groups = 1;    // of one sample
  int64_t channels = 1;  // of a group; each has a weight and a bias
  int64_t places = 1;
  // Whether a group is made of all samples, and is one channel then; else each sample has groups of
  // its own.
  bool over_samples = false;
};

// `weight` and `bias` hold groups * channels elements, of any shape, or are undefined: 1 and 0. A
// bias takes a weight. The result has a's shape.
Tensor Normalize(const Tensor& a, const Tensor& weight, const Tensor& bias,
                 const NormGroups& groups, double eps);

struct NormWanted {
  bool operand = true, weight = true, bias = true;
};

// Undefined where not wanted. `weight` and `bias` are [groups,channels].
struct NormGradients {
  Tensor operand, weight, bias;
};

// The gradients of Normalize, given that of its result, which has a's shape.
NormGradients NormGradientsOf(const Tensor& gradient, const Tensor& a, const Tensor& weight,
                              const NormGroups& groups, double eps, const NormWanted& wanted);

}  // namespace twingrad::kernels
