// Work in which the kernels decide: a step of an MLP, and operations on f32 tensors of many
// elements.
//
// E names an engine: E::Tensor; E::Random(sizes, requires_grad), of f32 in [-1, 1); E::Add, E::Mul,
// E::Exp, E::Tanh, E::Relu, E::Sum (of all elements), E::Transpose, E::Expand; E::Addmm(c, a, b),
// which is c + a b; E::Backward(y); E::BackwardOnThreads(y, threads), which keeps the graph;
// E::ClearGrad(x).

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/bench/contestant.h"

namespace twingrad::bench {

template <typename E>
class Dense {
 public:
  static void AddTo(CaseTable& cases) {
    cases["mlp"] = Mlp;
    cases["branches-1"] = [](int64_t n) { return Branches(n, 1); };
    cases["branches-2"] = [](int64_t n) { return Branches(n, 2); };
    AddLayouts(cases, "add", [](const Tensor& a, const Tensor& b) { return E::Add(a, b); });
    AddLayouts(cases, "mul", [](const Tensor& a, const Tensor& b) { return E::Mul(a, b); });
    AddLayouts(cases, "exp", [](const Tensor& a, const Tensor&) { return E::Exp(a); });
    AddLayouts(cases, "tanh", [](const Tensor& a, const Tensor&) { return E::Tanh(a); });
    AddLayouts(cases, "sum", [](const Tensor& a, const Tensor&) { return E::Sum(a); });
  }

 private:
  using Tensor = typename E::Tensor;

  // Forward and backward of three layers of `width` units with relu between them, on a batch of 64;
  // the loss is the sum of squares.
  static Figures Mlp(int64_t width) {
    constexpr int kLayers = 3;
    const Tensor x = E::Random({64, width}, /*requires_grad=*/false);
    std::vector<Tensor> weights, biases;
    for (int i = 0; i < kLayers; ++i) {
      weights.push_back(E::Random({width, width}, /*requires_grad=*/true));
      biases.push_back(E::Random({width}, /*requires_grad=*/true));
    }
    const auto step = [&] {
      Tensor h = x;
      for (int i = 0; i < kLayers; ++i) {
        h = E::Addmm(biases[i], h, weights[i]);
        if (i + 1 < kLayers) h = E::Relu(h);
      }
      E::Backward(E::Sum(E::Mul(h, h)));
      for (int i = 0; i < kLayers; ++i) E::ClearGrad(weights[i]), E::ClearGrad(biases[i]);
    };
    step();
    return {{"step", TimeNs(std::max<int64_t>(1, 1024 / width), step)}};
  }

  // Backward through eight equal branches, each a chain of products of matrices of n by n, on so
  // many threads.
  static Figures Branches(int64_t n, int threads) {
    constexpr int kBranches = 8, kProducts = 4;
    const Tensor zero = E::Random({n}, false);
    Tensor y = E::Sum(zero);
    for (int branch = 0; branch < kBranches; ++branch) {
      Tensor h = E::Random({n, n}, /*requires_grad=*/true);
      for (int i = 0; i < kProducts; ++i) {
        h = E::Addmm(zero, h, E::Random({n, n}, /*requires_grad=*/true));
      }
      y = E::Add(y, E::Sum(h));
    }
    const auto call = [&] { E::BackwardOnThreads(y, threads); };
    call();
    return {{"wall", TimeNs(5, call)}};
  }

  // An operation on about n elements: side by side; a repeated column and a row; a transposed
  // matrix and one that is not. Operations of one operand take the first.
  template <typename Operation>
  static void AddLayouts(CaseTable& cases, const std::string& name, Operation operation) {
    cases[name] = [=](int64_t n) {
      return Repeat(n, operation, E::Random({n}, false), E::Random({n}, false));
    };
    cases[name + "-broadcast"] = [=](int64_t n) {
      const int64_t side = Side(n);
      return Repeat(n, operation, E::Expand(E::Random({side, 1}, false), {side, side}),
                    E::Random({side}, false));
    };
    cases[name + "-transposed"] = [=](int64_t n) {
      const int64_t side = Side(n);
      return Repeat(n, operation, E::Transpose(E::Random({side, side}, false)),
                    E::Random({side, side}, false));
    };
  }

  static int64_t Side(int64_t n) {
    return static_cast<int64_t>(std::lround(std::sqrt(static_cast<double>(n))));
  }

  template <typename Operation>
  static Figures Repeat(int64_t n, const Operation& operation, const Tensor& a, const Tensor& b) {
    const int64_t times = std::max<int64_t>(10, 10'000'000 / n);
    return {{"forward", TimeNs(times, [&] { operation(a, b); })}};
  }
};

}  // namespace twingrad::bench
