// Adam: steps whose size in each coordinate is learned from the moments of its
// gradients.
//
//   Adam adam({w, b}, {.learning_rate = 1e-3});
//   AdamW adamw({w, b}, {.weight_decay = 0.01});
//
// For a parameter p with gradient g, at its step t = 1, 2, ...:
//
//   Adam:   g ← g + weight_decay p
//   AdamW:  p ← p - learning_rate weight_decay p
//   m ← β₁ m + (1 - β₁) g
//   v ← β₂ v + (1 - β₂) g²
//   p ← p - learning_rate (m / (1 - β₁ᵗ)) / (√(v / (1 - β₂ᵗ)) + ε)
//
// D. P. Kingma, J. Ba, "Adam: a method for stochastic optimization", ICLR 2015,
// algorithm 1; I. Loshchilov, F. Hutter, "Decoupled weight decay
// regularization", ICLR 2019, algorithm 2, with the decay multiplied by the
// learning rate.

#pragma once

#include <string_view>
#include <vector>

#include "autograd/optim/optimizer.h"

namespace twingrad {

struct AdamOptions {
  double learning_rate = 1e-3;  // 0 or more
  double beta1 = 0.9;           // [0, 1)
  double beta2 = 0.999;         // [0, 1)
  double epsilon = 1e-8;        // 0 or more
  double weight_decay = 0;      // 0 or more
};

class Adam : public Optimizer {
 public:
  using Group = ParameterGroup<AdamOptions>;

  Adam(const std::vector<Tensor>& parameters, const AdamOptions& options);
  explicit Adam(const std::vector<Group>& groups) : Adam("adam", groups, /*decoupled=*/false) {}

  void AddGroup(const Group& group);
  // Of group i; takes effect at the next step.
  const AdamOptions& options(size_t i = 0) const { return options_[i]; }
  void SetOptions(const AdamOptions& options, size_t i = 0);

 protected:
  Adam(std::string_view name, const std::vector<Group>& groups, bool decoupled);

 private:
  void Update(Slot& slot, const Tensor& gradient) final;
  void Check(const AdamOptions& options) const;

  const bool decoupled_;  // weight decay acts on the parameter, not on the gradient
  std::vector<AdamOptions> options_;
};

class AdamW final : public Adam {
 public:
  AdamW(const std::vector<Tensor>& parameters, const AdamOptions& options)
      : AdamW(std::vector<Group>{{parameters, options}}) {}
  explicit AdamW(const std::vector<Group>& groups) : Adam("adamw", groups, /*decoupled=*/true) {}
};

}  // namespace twingrad
