// Matrix products and losses.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "autograd/reference/ball/evaluate.h"

namespace twingrad::reference::ball {

using program::Key;
using program::Opcode;

namespace {

// A stack of matrices: where row, column and batch of an operand lie.
struct Factor {
  std::vector<int64_t> batch;
  int64_t rows = 1, columns = 1;
  int64_t row_step = 0, column_step = 0;

  // A vector is a row where it stands on the left, and a column on the right.
  Factor(const Shape& shape, bool left) {
    const size_t rank = shape.size();
    if (rank == 1) {
      (left ? columns : rows) = shape[0];
      (left ? column_step : row_step) = 1;
      return;
    }
    batch.assign(shape.begin(), shape.end() - 2);
    rows = shape[rank - 2];
    columns = shape[rank - 1];
    row_step = columns;
    column_step = 1;
  }
};

}  // namespace

void Evaluation::Products() {
  const bool adds = in_.size() == 3;
  const Tensor &a = in_[adds ? 1 : 0], &b = in_[adds ? 2 : 1];
  const Factor left(a.shape, true), right(b.shape, false);
  std::vector<int64_t> batch(out_.shape.begin(), out_.shape.end());
  batch.resize(std::max(left.batch.size(), right.batch.size()));
  if (op_ == Opcode::kAddbmm) batch = left.batch;
  const Places of_left = Broadcasting(left.batch, batch);
  const Places of_right = Broadcasting(right.batch, batch);
  Places added;
  if (adds) added = Broadcasting(in_[0].shape, out_.shape);
  // How many matrices meet in one of the result.
  const size_t meet = op_ == Opcode::kAddbmm ? of_left.size() : 1;
  const size_t results = op_ == Opcode::kAddbmm ? 1 : of_left.size();
  for (size_t result = 0; result < results; ++result) {
    for (int64_t i = 0; i < left.rows; ++i) {
      for (int64_t j = 0; j < right.columns; ++j) {
        std::vector<std::pair<Ref, Ref>> products;
        for (size_t m = result * meet; m < (result + 1) * meet; ++m) {
          for (int64_t k = 0; k < left.columns; ++k) {
            const int64_t p =
                of_left[m] * left.rows * left.columns + i * left.row_step + k * left.column_step;
            const int64_t q = of_right[m] * right.rows * right.columns + k * right.row_step +
                              j * right.column_step;
            products.emplace_back(a.elements[static_cast<size_t>(p)],
                                  b.elements[static_cast<size_t>(q)]);
          }
        }
        Ref start = nullptr;
        if (adds) start = in_[0].elements[static_cast<size_t>(added[out_.elements.size()])];
        Put(math_.SumOfProducts(products, start, type()));
      }
    }
  }
}

void Evaluation::Outer() {
  const bool adds = op_ == Opcode::kAddr;
  Places added;
  if (adds) added = Broadcasting(in_[0].shape, out_.shape);
  for (Ref a : in_[adds ? 1 : 0].elements) {
    for (Ref b : in_[adds ? 2 : 1].elements) {
      Ref product = math_.Multiply(a, b, type());
      if (!adds) {
        Put(product);
        continue;
      }
      Ref start = in_[0].elements[static_cast<size_t>(added[out_.elements.size()])];
      Put(math_.Add(start, product, type()));
    }
  }
}

// Of the pieces d²/2 and d - 1/2, -d - 1/2 those between which the run leaves open.
Ref Evaluation::SmoothDistance(Ref a, Ref b) {
  Ref distance = math_.Subtract(a, b, type());
  Ref half = math_.Point(0.5);
  if (distance->run.IsNegative()) distance = math_.Negate(distance, type());
  const auto near = [&] {
    return math_.Multiply(half, math_.Multiply(distance, distance, type()), type());
  };
  const Real above = distance->run - Real(1.0), below = distance->run + Real(1.0);
  if (above.IsNegative() && below.IsPositive()) return near();
  Ref far = math_.Subtract(distance, half, type());
  if (above.IsPositive()) return far;
  return math_.AnyOf({near(), far});
}

void Evaluation::Loss() {
  Refs losses;
  if (op_ == Opcode::kMseLoss) {
    for (size_t i = 0; i < in_[0].elements.size(); ++i) {
      Ref difference = math_.Subtract(in_[0].elements[i], in_[1].elements[i], type());
      losses.push_back(math_.Multiply(difference, difference, type()));
    }
  } else if (op_ == Opcode::kSmoothL1Loss) {
    for (size_t i = 0; i < in_[0].elements.size(); ++i) {
      losses.push_back(SmoothDistance(in_[0].elements[i], in_[1].elements[i]));
    }
  } else if (op_ == Opcode::kBceWithLogits) {
    for (size_t i = 0; i < in_[0].elements.size(); ++i) {
      Ref a = in_[0].elements[i];
      Ref product = math_.Multiply(a, in_[1].elements[i], type());
      losses.push_back(
          math_.Subtract(math_.Apply(Function::kSoftplus, a, type(), 8), product, type(), 4));
    }
  } else {
    const auto last = static_cast<int64_t>(in_[0].shape.size()) - 1;
    const std::vector<Lane> lanes = LanesAlong(in_[0].shape, last);
    for (size_t n = 0; n < lanes.size(); ++n) {
      const Refs row = RowOf(in_[0], lanes[n]);
      Ref label = in_[1].elements[n];
      if (label->known && (label->integer < 0 || label->integer >= lanes[n].length)) {
        throw NotApplicable{Refusal::kIndex};
      }
      Ref picked = label->known ? row[static_cast<size_t>(label->integer)] : math_.AnyOf(row);
      if (op_ == Opcode::kNllLoss) {
        losses.push_back(math_.Negate(picked, type()));
        continue;
      }
      Ref log = LogSumExp(row, /*rounded=*/true);
      losses.push_back(math_.Subtract(log, picked, type(), 4));
    }
  }
  const auto reduction = statement_.Get<std::string>(Key::kReduction);
  if (reduction == "none") {
    out_.elements = std::move(losses);
  } else if (reduction == "sum") {
    Put(math_.Sum(losses, type()));
  } else {
    Put(losses.empty() ? math_.UnknownPoint()
                       : math_.Sum(losses, type(), static_cast<int64_t>(losses.size())));
  }
}

}  // namespace twingrad::reference::ball
