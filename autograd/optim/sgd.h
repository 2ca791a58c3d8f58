// Sgd: stochastic gradient descent, with momentum.
//
//   Sgd sgd({w, b}, {.learning_rate = 0.1, .momentum = 0.9, .nesterov = true});
//   Sgd two({{{w}, {.learning_rate = 0.1}}, {{b}, {.learning_rate = 0.01}}});
//
// For a parameter p with gradient g, at its step t:
//
//   g ← g + weight_decay p
//   v ← g at the first step; momentum v + (1 - dampening) g after it
//   p ← p - learning_rate u, where u is g without momentum, g + momentum v with
//   nesterov, else v
//
// B. T. Polyak, "Some methods of speeding up the convergence of iteration
// methods", 1964; Nesterov's form as in I. Sutskever et al., "On the importance
// of initialization and momentum in deep learning", ICML 2013, with the
// learning rate outside v, so that changing it takes effect at once.

#pragma once

#include <vector>

#include "autograd/optim/optimizer.h"

namespace twingrad {

struct SgdOptions {
  double learning_rate = 1e-3;  // 0 or more
  double momentum = 0;          // 0 or more
  double dampening = 0;         // any
  double weight_decay = 0;      // 0 or more
  bool nesterov = false;        // only with momentum and without dampening
};

class Sgd final : public Optimizer {
 public:
  using Group = ParameterGroup<SgdOptions>;

  Sgd(const std::vector<Tensor>& parameters, const SgdOptions& options);
  explicit Sgd(const std::vector<Group>& groups);

  void AddGroup(const Group& group);
  // Of group i; takes effect at the next step.
  const SgdOptions& options(size_t i = 0) const { return options_[i]; }
  void SetOptions(const SgdOptions& options, size_t i = 0);

 private:
  void Update(Slot& slot, const Tensor& gradient) override;
  void Check(const SgdOptions& options) const;

  std::vector<SgdOptions> options_;
};

}  // namespace twingrad
