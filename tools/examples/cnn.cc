// Trains a small convolutional network to tell shapes in noisy pictures, and draws how the loss
// fell.
//
//   tools/bazel run //tools/examples:cnn -- --svg=/tmp/loss.svg
//
// Pictures of 12 x 12: a bar across, a bar down, a diagonal or a cross, somewhere, in noise. Two
// convolutions of 3 x 3 (8 and 16 channels) with batch norm, relu and max_pool, dropout, a linear
// layer; cross-entropy, AdamW on batches of 32, in f32. Data, weights, batches and dropout come
// from --seed=N (1). Prints a line every 50 steps. Ends with status 1 if the loss over pictures
// that were not trained on is not below 0.15 at the end.

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

#include "autograd/autograd.h"
#include "autograd/optim/adam.h"
#include "tools/examples/arguments.h"
#include "tools/examples/score.h"

namespace {

using namespace twingrad;  // NOLINT: as in a user's program

constexpr double kGoal = 0.15;
constexpr int64_t kSide = 12, kClasses = 4;
constexpr int64_t kPictures = 1024, kBatch = 32;
constexpr int kSteps = 400;
constexpr double kFirstRate = 0.01;

struct Data {
  Tensor pictures;  // f32[n,1,kSide,kSide]
  Tensor classes;   // i64[n]
};

// Whether the shape of the class, around the middle (r, c), holds this place.
bool IsInk(int64_t kind, int64_t row, int64_t column) {
  constexpr int64_t kReach = 3;
  if (std::abs(row) > kReach || std::abs(column) > kReach) return false;
  const bool across = row == 0, down = column == 0;
  switch (kind) {
    case 0:
      return across;
    case 1:
      return down;
    case 2:
      return row == column;
    default:
      return across || down;
  }
}

Data MakeData(int64_t count, Generator& generator) {
  const std::vector<double> noise = Elements(Normal({count, kSide, kSide}, 0, 0.3, generator));
  const std::vector<double> places = Elements(Uniform({count, 2}, 3, kSide - 3, generator));
  std::vector<float> pixels;
  std::vector<int64_t> classes;
  for (int64_t n = 0; n < count; ++n) {
    const int64_t kind = n % kClasses;
    classes.push_back(kind);
    const auto middle_row = static_cast<int64_t>(places[2 * n]);
    const auto middle_column = static_cast<int64_t>(places[2 * n + 1]);
    for (int64_t row = 0; row < kSide; ++row) {
      for (int64_t column = 0; column < kSide; ++column) {
        const double ink = IsInk(kind, row - middle_row, column - middle_column) ? 1 : 0;
        pixels.push_back(static_cast<float>(ink + noise[(n * kSide + row) * kSide + column]));
      }
    }
  }
  return {Tensor::FromData<float>({count, 1, kSide, kSide}, pixels),
          Tensor::FromData<int64_t>({count}, classes)};
}

// Normal numbers of deviation √(2 / inputs), as He et al. draw them for relu.
Tensor Weights(std::vector<int64_t> sizes, int64_t inputs, Generator& generator) {
  return Leaf(
      Normal(sizes, 0, std::sqrt(2.0 / static_cast<double>(inputs)), generator, DType::kF32));
}
Tensor Filled(int64_t count, double value) {
  return Leaf(Tensor::Full({count}, value, DType::kF32));
}

// A convolution of 3 x 3, batch norm, relu, and the greatest of each 2 x 2.
struct Block {
  Block(int64_t inputs, int64_t outputs, Generator& generator)
      : weights(Weights({outputs, inputs, 3, 3}, inputs * 9, generator)),
        scale(Filled(outputs, 1)),
        shift(Filled(outputs, 0)) {}
  Tensor operator()(const Tensor& x, bool training) {
    const Tensor y = Conv2d(x, weights, {.padding = {1, 1}});
    const Tensor normal = BatchNorm(y, moments, training, {.weight = scale, .bias = shift});
    return MaxPool2d(Relu(normal), {2, 2});
  }

  Tensor weights, scale, shift;
  RunningMoments moments;
};

struct Network {
  explicit Network(Generator& generator)
      : first(1, 8, generator),
        second(8, 16, generator),
        weights(Weights({kClasses, 16 * 9}, 16 * 9, generator)),
        bias(Filled(kClasses, 0)) {}
  // With dropout in training, for which a generator is given.
  Tensor operator()(const Tensor& x, Generator* training) {
    Tensor y = second(first(x, training != nullptr), training != nullptr);
    y = Reshape(y, {x.sizes()[0], -1});
    if (training != nullptr) y = Dropout(y, 0.2, *training);
    return Linear(y, weights, bias);
  }
  std::vector<Tensor> Parameters() const {
    return {first.weights, first.scale,  first.shift, second.weights,
            second.scale,  second.shift, weights,     bias};
  }

  Block first, second;
  Tensor weights, bias;
};

examples::Score ScoreOf(Network& network, const Data& data) {
  NoGradGuard no_grad;
  return examples::ScoreOf(network(data.pictures, nullptr), data.classes);
}

std::vector<double> Train(Network& network, const Data& data, const Data& unseen,
                          Generator& generator) {
  AdamW adam(network.Parameters(), {.learning_rate = kFirstRate, .weight_decay = 0.01});
  std::vector<double> losses;
  std::vector<int64_t> order;
  for (int step = 0; step < kSteps; ++step) {
    if (order.empty()) order = Permutation(kPictures, generator);
    const Tensor batch = Tensor::FromData<int64_t>(
        {kBatch}, std::vector<int64_t>(order.end() - kBatch, order.end()));
    order.resize(order.size() - kBatch);
    const Tensor logits = network(IndexSelect(data.pictures, 0, batch), &generator);
    const Tensor loss = CrossEntropy(logits, IndexSelect(data.classes, 0, batch), Reduction::kMean);
    const double left = 0.5 * (1 + std::cos(std::numbers::pi * step / kSteps));
    adam.SetOptions({.learning_rate = kFirstRate * left, .weight_decay = 0.01});
    adam.ZeroGrad();
    Backward({loss});
    adam.Step();
    losses.push_back(Item(loss));
    if (step % 50 == 0) examples::PrintStep(step, ScoreOf(network, unseen));
  }
  return losses;
}

}  // namespace

int main(int argc, char** argv) {
  const examples::Arguments arguments = examples::ArgumentsOf(argc, argv);
  Generator generator(arguments.seed);
  const Data data = MakeData(kPictures, generator), unseen = MakeData(kPictures, generator);
  Network network(generator);
  const std::vector<double> losses = Train(network, data, unseen, generator);
  return examples::Finish(arguments, losses, ScoreOf(network, unseen), kGoal);
}
