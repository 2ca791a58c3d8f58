// Reductions, and what works along one dimension.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/reference/ball/evaluate.h"

namespace twingrad::reference::ball {

using program::Key;
using program::Opcode;

namespace {

double Greatest(const Refs& row) {
  double greatest = 0;
  for (Ref a : row) greatest = std::fmax(greatest, a->run.Magnitude());
  return greatest;
}

}  // namespace

Ref Evaluation::LogSumExp(const Refs& row, bool rounded) {
  Refs powers;
  for (Ref a : row) powers.push_back(math_.Apply(Function::kExp, a, type(), kInSteps));
  if (powers.empty()) return math_.UnknownPoint();
  Ref sum = math_.Sum(powers, type(), 1, kInSteps);
  Ref log = math_.Apply(Function::kLog, sum, type(), kInSteps);
  if (!rounded) return log;
  return math_.Rounded(log, type(), 8 + 2 * static_cast<double>(row.size()),
                       Greatest(row) + static_cast<double>(row.size()));
}

Ref Evaluation::Variance(const Refs& row) {
  if (row.empty()) return math_.UnknownPoint();
  const auto count = static_cast<int64_t>(row.size());
  Ref mean = math_.Sum(row, type(), count);
  Refs squares;
  for (Ref a : row) {
    Ref distance = math_.Subtract(a, mean, type());
    squares.push_back(math_.Multiply(distance, distance, type()));
  }
  // In one pass, the mean is that of the entries so far.
  Ref variance = math_.Sum(squares, type(), count);
  const double greatest = Greatest(row);
  return math_.Rounded(variance, type(), 4 * static_cast<double>(count), greatest * greatest);
}

// The root of the sum of squares. Of zeros alone the generalized gradient is all vectors of length
// 1 or less.
Ref Evaluation::Length(const Refs& row) {
  std::vector<std::pair<Ref, Ref>> squares;
  for (Ref a : row) squares.emplace_back(a, a);
  Ref sum = math_.SumOfProducts(squares, nullptr, type());
  Ref root = math_.Apply(Function::kSqrt, sum, type(), 1);
  if (row.empty() || sum->run.IsPositive()) return root;
  Refs candidates;
  for (Ref a : row) {
    candidates.push_back(a);
    candidates.push_back(math_.Negate(a, type()));
  }
  if (!sum->run.IsZero()) candidates.push_back(root);
  return math_.AnyOf(candidates);
}

Ref Evaluation::Deviation(const Refs& row) {
  if (row.empty()) return math_.UnknownPoint();
  const auto count = static_cast<double>(row.size());
  Ref mean = math_.Sum(row, type(), static_cast<int64_t>(row.size()));
  Refs distances;
  for (Ref a : row) distances.push_back(math_.Subtract(a, mean, type()));
  Ref root = math_.Apply(Function::kSqrt, math_.Point(count), type(), 1);
  // In one pass, the mean is that of the entries so far.
  return math_.Rounded(math_.Divide(Length(distances), root, type()), type(), 4 * count,
                       Greatest(row));
}

Ref Evaluation::ReduceRow(const Refs& row) {
  const auto count = static_cast<int64_t>(row.size());
  if (op_ == Opcode::kProd) return math_.Product(row, type());
  if (op_ == Opcode::kVar) return Variance(row);
  if (op_ == Opcode::kStd) return Deviation(row);
  if (op_ == Opcode::kNorm) return Length(row);
  if (op_ == Opcode::kLogsumexp) return LogSumExp(row, /*rounded=*/true);
  if (op_ == Opcode::kAmax || op_ == Opcode::kAmin) {
    return math_.Extreme(row, op_ == Opcode::kAmax, type());
  }
  if (op_ == Opcode::kMean && count == 0) return math_.UnknownPoint();
  return math_.Sum(row, type(), op_ == Opcode::kMean ? count : 1);
}

void Evaluation::Reduce() {
  const Shape& shape = in_[0].shape;
  const std::vector<int64_t> dims = Dims();
  // The result's place is the operand's with a stride of 0 along what is reduced.
  std::vector<int64_t> kept;
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool reduced =
        dims.empty() || std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) != dims.end();
    kept.push_back(reduced ? 1 : shape[d]);
  }
  Places strides = StridesOf(kept);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (kept[d] != shape[d]) strides[d] = 0;
  }
  std::vector<Refs> rows(static_cast<size_t>(CountOf(out_.shape)));
  const Places places = Enumerate(shape, strides);
  for (size_t i = 0; i < places.size(); ++i) {
    rows[static_cast<size_t>(places[i])].push_back(in_[0].elements[i]);
  }
  for (const Refs& row : rows) Put(ReduceRow(row));
}

void Evaluation::ReduceLanes() {
  for (const Lane& lane : LanesAlong(in_[0].shape, Dim())) {
    const Refs row = RowOf(in_[0], lane);
    const bool greatest = op_ == Opcode::kMax || op_ == Opcode::kArgmax;
    const bool index = op_ == Opcode::kArgmax || op_ == Opcode::kArgmin;
    Put(index ? math_.IndexOfExtreme(row, greatest, type()) : math_.Extreme(row, greatest, type()));
  }
}

Refs Evaluation::SoftmaxOf(const Refs& row) {
  const double size = static_cast<double>(row.size()), greatest = Greatest(row);
  Refs results;
  if (op_ == Opcode::kLogSoftmax) {
    Ref log = LogSumExp(row, /*rounded=*/false);
    for (Ref a : row) {
      Ref difference = math_.Subtract(a, log, type(), kInSteps);
      results.push_back(math_.Rounded(difference, type(), 8 + 2 * size, 2 * greatest + size));
    }
    return results;
  }
  Refs powers;
  for (Ref a : row) powers.push_back(math_.Apply(Function::kExp, a, type(), kInSteps));
  Ref sum = math_.Sum(powers, type(), 1, kInSteps);
  for (Ref power : powers) {
    Ref quotient = math_.Divide(power, sum, type(), kInSteps);
    results.push_back(math_.Rounded(quotient, type(), 16 + size + 4 * greatest));
  }
  return results;
}

void Evaluation::SoftmaxLanes() {
  EachLane([&](const Refs& row) { return SoftmaxOf(row); });
}

void Evaluation::Accumulate() {
  EachLane([&](const Refs& row) {
    Refs so_far, results;
    for (Ref a : row) {
      so_far.push_back(a);
      if (op_ == Opcode::kLogcumsumexp) {
        results.push_back(so_far.size() == 1 ? a : LogSumExp(so_far, /*rounded=*/true));
        continue;
      }
      results.push_back(op_ == Opcode::kCumprod ? math_.Product(so_far, type())
                                                : math_.Sum(so_far, type()));
    }
    return results;
  });
}

void Evaluation::SortLanes() {
  EachLane([&](const Refs& row) {
    auto sorted = math_.Sort(row, statement_.Get<bool>(Key::kDescending), type());
    return op_ == Opcode::kSort ? sorted.values : sorted.indices;
  });
}

void Evaluation::TopLanes() {
  const auto count = static_cast<size_t>(statement_.Get<int64_t>(Key::kCount));
  const std::vector<Lane> from = LanesAlong(in_[0].shape, Dim());
  const std::vector<Lane> to = LanesAlong(out_.shape, Dim());
  out_.elements.resize(static_cast<size_t>(CountOf(out_.shape)));
  for (size_t l = 0; l < to.size(); ++l) {
    const auto sorted = math_.Sort(RowOf(in_[0], from[l]), /*descending=*/true, type());
    const Refs& row = op_ == Opcode::kTopk ? sorted.values : sorted.indices;
    for (size_t k = 0; k < count; ++k) {
      out_.elements[static_cast<size_t>(to[l].At(static_cast<int64_t>(k)))] = row[k];
    }
  }
}

// The last of several greatest is the first from the end.
void Evaluation::RunningExtremes() {
  const bool greatest = op_ == Opcode::kCummax || op_ == Opcode::kCummaxIndices;
  const bool index = op_ == Opcode::kCummaxIndices || op_ == Opcode::kCumminIndices;
  EachLane([&](const Refs& row) {
    Refs back, results;
    for (Ref a : row) {
      back.insert(back.begin(), a);
      if (!index) {
        results.push_back(math_.Extreme(back, greatest, type()));
        continue;
      }
      Ref from_end = math_.IndexOfExtreme(back, greatest, type());
      const auto last = static_cast<int64_t>(back.size()) - 1;
      results.push_back(from_end->known ? math_.Integer(last - from_end->integer) : from_end);
    }
    return results;
  });
}

void Evaluation::EachLane(absl::FunctionRef<Refs(const Refs&)> of) {
  out_.elements.resize(in_[0].elements.size());
  if (out_.elements.empty()) return;
  for (const Lane& lane : LanesAlong(in_[0].shape, Dim())) {
    const Refs results = of(RowOf(in_[0], lane));
    for (int64_t k = 0; k < lane.length; ++k) {
      out_.elements[static_cast<size_t>(lane.At(k))] = results[static_cast<size_t>(k)];
    }
  }
}

}  // namespace twingrad::reference::ball
