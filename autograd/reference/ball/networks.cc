// Linear layers, attention, norms and dropout.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/program/dropout.h"
#include "autograd/reference/ball/evaluate.h"

namespace twingrad::reference::ball {

using program::Key;
using program::Opcode;

// The factor is rounded, by itself and as what 1 - by= divides.
void Evaluation::Dropout() {
  const auto by = statement_.Get<double>(Key::kBy);
  const auto seed = statement_.Get<int64_t>(Key::kSeed);
  Ref kept = math_.Subtract(math_.Point(1), math_.Point(by), type(), kInSteps);
  for (size_t i = 0; i < in_[0].elements.size(); ++i) {
    Ref a = in_[0].elements[i];
    const bool dropped = program::IsDropped(seed, static_cast<int64_t>(i), by);
    Put(dropped ? math_.Multiply(a, math_.Point(0), type())
                : math_.Rounded(math_.Divide(a, kept, type()), type(), 4));
  }
}

void Evaluation::Linear() {
  const size_t inputs = static_cast<size_t>(in_[1].shape[1]);
  const size_t outputs = static_cast<size_t>(in_[1].shape[0]);
  const size_t rows = outputs == 0 ? 0 : static_cast<size_t>(CountOf(out_.shape)) / outputs;
  for (size_t row = 0; row < rows; ++row) {
    for (size_t o = 0; o < outputs; ++o) {
      std::vector<std::pair<Ref, Ref>> products;
      for (size_t i = 0; i < inputs; ++i) {
        products.emplace_back(in_[0].elements[row * inputs + i], in_[1].elements[o * inputs + i]);
      }
      Put(math_.SumOfProducts(products, in_.size() > 2 ? in_[2].elements[o] : nullptr, type()));
    }
  }
}

// Scores are rounded in steps that libraries order as they like: by the sum of their terms.
void Evaluation::Attend() {
  const Shape &q = in_[0].shape, &v = in_[2].shape;
  const size_t last = q.size() - 1;
  const auto size = [](int64_t n) { return static_cast<size_t>(n); };
  const size_t queries = size(q[last - 1]), inner = size(q[last]);
  const size_t keys = size(v[last - 1]), outer = size(v[last]);
  const size_t rows = queries == 0 ? 0 : in_[0].elements.size() / inner;
  const bool causal = statement_.Get<bool>(Key::kCausal);
  Ref root = math_.Apply(Function::kSqrt, math_.Point(static_cast<double>(inner)), type(), 1);
  for (size_t row = 0; row < rows; ++row) {
    const size_t first = row / queries * keys;
    const size_t seen = causal ? std::min(row % queries + 1, keys) : keys;
    Refs scores;
    for (size_t j = 0; j < seen; ++j) {
      std::vector<std::pair<Ref, Ref>> products;
      double magnitude = 0;
      for (size_t e = 0; e < inner; ++e) {
        Ref a = in_[0].elements[row * inner + e], b = in_[1].elements[(first + j) * inner + e];
        products.emplace_back(a, b);
        magnitude += a->run.Magnitude() * b->run.Magnitude();
      }
      Ref score = math_.Divide(math_.SumOfProducts(products, nullptr, type()), root, type());
      scores.push_back(math_.Rounded(score, type(), 8, magnitude));
    }
    const Refs shares = SoftmaxOf(scores);
    for (size_t d = 0; d < outer; ++d) {
      std::vector<std::pair<Ref, Ref>> products;
      for (size_t j = 0; j < seen; ++j) {
        products.emplace_back(shares[j], in_[2].elements[(first + j) * outer + d]);
      }
      Put(math_.SumOfProducts(products, nullptr, type()));
    }
  }
}

// One group: where its elements stand, and which weight each has.
void Evaluation::NormalizeGroup(const std::vector<size_t>& places,
                                const std::vector<size_t>& weights) {
  Refs row;
  double greatest = 0;
  for (const size_t place : places) {
    row.push_back(in_[0].elements[place]);
    greatest = std::fmax(greatest, row.back()->run.Magnitude());
  }
  if (row.empty()) return;
  // Libraries may take one pass, and multiply an element and its mean before they subtract.
  const auto count = static_cast<int64_t>(row.size());
  Ref mean = math_.Rounded(math_.Sum(row, type(), count), type(), 4 * static_cast<double>(count),
                           greatest);
  Ref eps = math_.Point(statement_.Get<double>(Key::kEps));
  Ref inverse =
      math_.Apply(Function::kRsqrt, math_.Add(Variance(row), eps, type()), type(), kUnits);
  const double magnitude = 2 * greatest * inverse->run.Magnitude();
  for (size_t i = 0; i < row.size(); ++i) {
    Ref apart = math_.Subtract(row[i], mean, type());
    Ref y = math_.Rounded(math_.Multiply(apart, inverse, type()), type(), 8, magnitude);
    if (in_.size() > 1) y = math_.Multiply(y, in_[1].elements[weights[i]], type());
    if (in_.size() > 2) y = math_.Add(y, in_[2].elements[weights[i]], type());
    out_.elements[places[i]] = y;
  }
}

void Evaluation::Normalize() {
  const Shape& shape = in_[0].shape;
  out_.elements.resize(in_[0].elements.size());
  // Of [samples, channels, places] what has which group and weight.
  size_t channels = 1, places = 1;
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t first = op_ == Opcode::kLayerNorm ? rank - statement_.Get<int64_t>(Key::kCount) : 1;
  for (int64_t d = first; d < rank; ++d) {
    const bool of_channel = op_ == Opcode::kLayerNorm || d == 1;
    (of_channel ? channels : places) *= static_cast<size_t>(shape[static_cast<size_t>(d)]);
  }
  const auto groups =
      static_cast<size_t>(op_ == Opcode::kGroupNorm ? statement_.Get<int64_t>(Key::kGroups, 1) : 1);
  const bool joins = op_ == Opcode::kBatchNorm;
  const size_t sample = channels * places;
  const size_t samples = sample == 0 ? 0 : out_.elements.size() / sample;
  const size_t in_group = joins ? places : sample / groups;
  for (size_t group = 0; group < (joins ? channels : samples * groups); ++group) {
    std::vector<size_t> at, weights;
    for (size_t n = 0; n < (joins ? samples : 1); ++n) {
      for (size_t i = 0; i < in_group; ++i) {
        at.push_back(joins ? n * sample + group * places + i : group * in_group + i);
        weights.push_back(at.back() % sample / places);
      }
    }
    NormalizeGroup(at, weights);
  }
}

}  // namespace twingrad::reference::ball
