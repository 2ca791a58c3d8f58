// Trains a small network to tell a ring from its surroundings, and draws how
// the loss fell.
//
//   tools/bazel run //tools/examples:mlp -- --svg=/tmp/loss.svg
//
// 2 inputs, two hidden layers of 16 tanh units, 2 classes; cross-entropy, Adam
// on batches of 64. The data, the weights and the batches come from --seed=N
// (1). Prints a line every 100 steps. Ends with status 1 if the loss over all
// data is not below 0.1 at the end.
//
// The learning rate falls from 0.03 to 0 along half a cosine: at a constant rate the loss stops
// falling and jumps about, and whether it ends below 0.1 is luck.

#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "autograd/autograd.h"
#include "autograd/optim/adam.h"
#include "tools/examples/arguments.h"
#include "tools/examples/score.h"

namespace {

using namespace twingrad;  // NOLINT: as in a user's program

constexpr double kGoal = 0.1;
constexpr int64_t kPoints = 512;
constexpr int64_t kBatch = 64;
constexpr int kSteps = 1200;
constexpr double kFirstRate = 0.03;

struct Data {
  Tensor points;   // f64[kPoints,2]
  Tensor classes;  // i64[kPoints], 1 inside the ring
};

Data MakeData(Generator& generator) {
  const Tensor points = Uniform({kPoints, 2}, -1, 1, generator);
  const std::vector<double> radii = Elements(Sqrt(Sum(points * points, {-1})));
  std::vector<int64_t> classes;
  for (double radius : radii) classes.push_back(radius > 0.4 && radius < 0.8);
  return {points, Tensor::FromData<int64_t>({kPoints}, classes)};
}

// y = x W + b, with weights of deviation 1/√inputs.
struct Layer {
  Layer(int64_t inputs, int64_t outputs, Generator& generator)
      : weight(Leaf(
            Normal({inputs, outputs}, 0, 1 / std::sqrt(static_cast<double>(inputs)), generator))),
        bias(Leaf(Tensor::Zeros({outputs}, DType::kF64))) {}
  Tensor operator()(const Tensor& x) const { return Matmul(x, weight) + bias; }

  Tensor weight;
  Tensor bias;
};

struct Network {
  explicit Network(Generator& generator)
      : first(2, 16, generator), second(16, 16, generator), last(16, 2, generator) {}
  Tensor operator()(const Tensor& x) const { return last(Tanh(second(Tanh(first(x))))); }
  std::vector<Tensor> Parameters() const {
    return {first.weight, first.bias, second.weight, second.bias, last.weight, last.bias};
  }

  Layer first, second, last;
};

double LearningRate(int step) {
  return kFirstRate * 0.5 * (1 + std::cos(std::numbers::pi * step / kSteps));
}

examples::Score ScoreOf(const Network& network, const Data& data) {
  NoGradGuard no_grad;
  return examples::ScoreOf(network(data.points), data.classes);
}

std::vector<double> Train(const Network& network, const Data& data, Generator& generator) {
  Adam adam(network.Parameters(), {.learning_rate = kFirstRate});
  std::vector<double> losses;
  std::vector<int64_t> order;
  for (int step = 0; step < kSteps; ++step) {
    if (order.empty()) order = Permutation(kPoints, generator);
    const Tensor batch = Tensor::FromData<int64_t>(
        {kBatch}, std::vector<int64_t>(order.end() - kBatch, order.end()));
    order.resize(order.size() - kBatch);
    const Tensor loss = CrossEntropy(network(IndexSelect(data.points, 0, batch)),
                                     IndexSelect(data.classes, 0, batch), Reduction::kMean);
    adam.SetOptions({.learning_rate = LearningRate(step)});
    adam.ZeroGrad();
    Backward({loss});
    adam.Step();
    losses.push_back(Item(loss));
    if (step % 100 == 0) examples::PrintStep(step, ScoreOf(network, data));
  }
  return losses;
}

}  // namespace

int main(int argc, char** argv) {
  const examples::Arguments arguments = examples::ArgumentsOf(argc, argv);
  Generator generator(arguments.seed);
  const Data data = MakeData(generator);
  const Network network(generator);
  const std::vector<double> losses = Train(network, data, generator);
  return examples::Finish(arguments, losses, ScoreOf(network, data), kGoal);
}
