// Trains a block of a transformer to turn short words around, and draws how the loss fell.
//
//   tools/bazel run //tools/examples:transformer -- --svg=/tmp/loss.svg
//
// A word of 10 letters of an alphabet of 20 comes in; its letters are to come out in reverse order.
// Letters and places are embedded in 32 numbers; then attention with 4 heads and a layer of 64 gelu
// units, each added to what came in after a layer norm, and a linear layer; cross-entropy, AdamW on
// batches of 32 fresh words, in f32. All comes from --seed=N (1). Prints a line every 20 steps.
// Ends with status 1 if the loss over words that were not trained on is not below 0.1 at the end.

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "autograd/autograd.h"
#include "autograd/optim/adam.h"
#include "tools/examples/arguments.h"
#include "tools/examples/score.h"

namespace {

using namespace twingrad;  // NOLINT: as in a user's program

constexpr double kGoal = 0.1;
constexpr int64_t kLetters = 20, kLength = 10;
constexpr int64_t kWidth = 32, kHeads = 4, kHidden = 64;
constexpr int64_t kBatch = 32, kUnseen = 256;
constexpr int kSteps = 120;
constexpr double kFirstRate = 0.01;

struct Words {
  Tensor letters;   // i64[n,kLength]
  Tensor reversed;  // i64[n kLength]
};

Words Draw(int64_t count, Generator& generator) {
  const Tensor draws = Uniform({count, kLength}, 0, kLetters, generator);
  const Tensor letters = Cast(draws, DType::kI64);
  return {letters, Reshape(Flip(letters, {1}), {-1})};
}

Tensor Weights(std::vector<int64_t> sizes, double deviation, Generator& generator) {
  return Leaf(Normal(sizes, 0, deviation, generator, DType::kF32));
}

// y = x Wᵀ + b
struct Layer {
  Layer(int64_t inputs, int64_t outputs, Generator& generator)
      : weights(Weights({outputs, inputs}, 1 / std::sqrt(static_cast<double>(inputs)), generator)),
        bias(Leaf(Tensor::Zeros({outputs}, DType::kF32))) {}
  Tensor operator()(const Tensor& x) const { return Linear(x, weights, bias); }
  Tensor weights, bias;
};

struct Norm {
  Norm()
      : weight(Leaf(Tensor::Ones({kWidth}, DType::kF32))),
        bias(Leaf(Tensor::Zeros({kWidth}, DType::kF32))) {}
  Tensor operator()(const Tensor& x) const {
    return LayerNorm(x, 1, {.weight = weight, .bias = bias});
  }
  Tensor weight, bias;
};

struct Network {
  explicit Network(Generator& generator)
      : letters(Weights({kLetters, kWidth}, 1, generator)),
        places(Weights({kLength, kWidth}, 1, generator)),
        queries(kWidth, kWidth, generator),
        keys(kWidth, kWidth, generator),
        values(kWidth, kWidth, generator),
        joined(kWidth, kWidth, generator),
        hidden(kWidth, kHidden, generator),
        narrowed(kHidden, kWidth, generator),
        last(kWidth, kLetters, generator) {}

  // The logits of each letter of each word.
  Tensor operator()(const Tensor& words) const {
    Tensor x = Embedding(letters, words) + places;
    const Tensor seen = first_norm(x);
    x = x + joined(Together(ScaledDotProductAttention(Heads(queries(seen)), Heads(keys(seen)),
                                                      Heads(values(seen)))));
    x = x + narrowed(Gelu(hidden(second_norm(x))));
    return Reshape(last(last_norm(x)), {-1, kLetters});
  }
  std::vector<Tensor> Parameters() const {
    std::vector<Tensor> all = {letters, places};
    for (const Layer* layer : {&queries, &keys, &values, &joined, &hidden, &narrowed, &last}) {
      all.push_back(layer->weights);
      all.push_back(layer->bias);
    }
    for (const Norm* norm : {&first_norm, &second_norm, &last_norm}) {
      all.push_back(norm->weight);
      all.push_back(norm->bias);
    }
    return all;
  }

  // [n,kLength,kWidth] as [n,kHeads,kLength,kWidth / kHeads], and back.
  static Tensor Heads(const Tensor& x) {
    return Transpose(Reshape(x, {-1, kLength, kHeads, kWidth / kHeads}), 1, 2);
  }
  static Tensor Together(const Tensor& heads) {
    return Reshape(Transpose(heads, 1, 2), {-1, kLength, kWidth});
  }

  Tensor letters, places;
  Norm first_norm, second_norm, last_norm;
  Layer queries, keys, values, joined, hidden, narrowed, last;
};

// Of letters.
examples::Score ScoreOf(const Network& network, const Words& words) {
  NoGradGuard no_grad;
  return examples::ScoreOf(network(words.letters), words.reversed);
}

std::vector<double> Train(const Network& network, const Words& unseen, Generator& generator) {
  AdamW adam(network.Parameters(), {.learning_rate = kFirstRate, .weight_decay = 0.01});
  std::vector<double> losses;
  for (int step = 0; step < kSteps; ++step) {
    const Words words = Draw(kBatch, generator);
    const Tensor loss = CrossEntropy(network(words.letters), words.reversed, Reduction::kMean);
    const double left = 0.5 * (1 + std::cos(std::numbers::pi * step / kSteps));
    adam.SetOptions({.learning_rate = kFirstRate * left, .weight_decay = 0.01});
    adam.ZeroGrad();
    Backward({loss});
    adam.Step();
    losses.push_back(Item(loss));
    if (step % 20 == 0) examples::PrintStep(step, ScoreOf(network, unseen));
  }
  return losses;
}

}  // namespace

int main(int argc, char** argv) {
  const examples::Arguments arguments = examples::ArgumentsOf(argc, argv);
  Generator generator(arguments.seed);
  const Words unseen = Draw(kUnseen, generator);
  const Network network(generator);
  const std::vector<double> losses = Train(network, unseen, generator);
  return examples::Finish(arguments, losses, ScoreOf(network, unseen), kGoal);
}
