// Norms, dropout and attention: what networks have between their layers, of operations.
//
//   Tensor y = LayerNorm(x, /*dims=*/1, {.weight = w, .bias = b});
//   y = Dropout(y, 0.1, generator);
//   Tensor z = ScaledDotProductAttention(q, k, v, {.causal = true});
//
// Floats. Weights and biases may be left out. What does not fit is Error(kShape); a number out
// of its range is Error(kInvalidArgument).

#pragma once

#include <cstdint>

#include "autograd/random/random.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

struct NormOptions {
  Tensor weight = {};  // by which what is normalized is multiplied
  Tensor bias = {};    // and what is added then
  double epsilon = 1e-5;
};

// (a - mean) / √(variance + epsilon) over the last `dims` dimensions; weight and bias have their
// sizes. J. L. Ba, J. R. Kiros, G. E. Hinton, "Layer normalization", 2016.
Tensor LayerNorm(const Tensor& a, int64_t dims, const NormOptions& options = {});

// a: [N, C, ..]. The same over the channels of each of `groups` equal parts and all that follows;
// weight and bias are [C]. Y. Wu, K. He, "Group normalization", ECCV 2018.
Tensor GroupNorm(const Tensor& a, int64_t groups, const NormOptions& options = {});

// Mean and variance of each channel, as seen so far: [C] each, or undefined before the first batch.
struct RunningMoments {
  Tensor mean = {};
  Tensor variance = {};   // unbiased
  double momentum = 0.1;  // the part of the latest batch, from 0 to 1
};

// a: [N, C, ..]. The same over all but the channels; weight and bias are [C]. S. Ioffe, C. Szegedy,
// "Batch normalization", ICML 2015.
//
// In training by the moments of this batch, of which more than one number a channel is needed, and
// which are added to the running ones; else by those.
Tensor BatchNorm(const Tensor& a, RunningMoments& moments, bool training,
                 const NormOptions& options = {});

// Each element 0 with this probability, from 0 to less than 1, else divided by what is left of 1.
// The draws are the generator's: the same from the same place. N. Srivastava et al., "Dropout",
// JMLR 2014.
Tensor Dropout(const Tensor& a, double probability, Generator& generator);

struct AttentionOptions {
  bool causal = false;  // query i sees the keys up to i
  Tensor mask = {};     // bool, broadcast to [.., L, S]: which keys each query sees
};
// softmax(q kᵀ / √E) v for q: [.., L, E], k: [.., S, E] and v: [.., S, D]. Each query must see a
// key. A. Vaswani et al., "Attention is all you need", NIPS 2017.
Tensor ScaledDotProductAttention(const Tensor& q, const Tensor& k, const Tensor& v,
                                 const AttentionOptions& options = {});

}  // namespace twingrad
