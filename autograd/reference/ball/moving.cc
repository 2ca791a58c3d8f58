// Copies that move elements: joined, reversed, picked and scattered.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "autograd/reference/ball/evaluate.h"

namespace twingrad::reference::ball {

using program::Opcode;

namespace {

size_t InRange(Ref index, int64_t size) {
  if (index->integer < 0 || index->integer >= size) throw NotApplicable{Refusal::kIndex};
  return static_cast<size_t>(index->integer);
}

}  // namespace

void Evaluation::Join() {
  out_.elements.resize(static_cast<size_t>(CountOf(out_.shape)));
  const auto dim = static_cast<size_t>(Dim());
  const Places strides = StridesOf(out_.shape);
  int64_t at = 0;
  for (const Tensor& part : in_) {
    std::vector<int64_t> shape(part.shape.begin(), part.shape.end());
    if (op_ == Opcode::kStack) shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(dim), 1);
    const Places places = Enumerate(shape, strides, at * strides[dim]);
    for (size_t i = 0; i < places.size(); ++i) {
      out_.elements[static_cast<size_t>(places[i])] = part.elements[i];
    }
    at += shape[dim];
  }
}

void Evaluation::Flip() {
  Places strides = StridesOf(in_[0].shape);
  int64_t offset = 0;
  if (CountOf(in_[0].shape) == 0) return;
  for (const int64_t d : Dims()) {
    int64_t& stride = strides[static_cast<size_t>(d)];
    offset += (in_[0].shape[static_cast<size_t>(d)] - 1) * stride;
    stride = -stride;
  }
  for (const int64_t place : Enumerate(in_[0].shape, strides, offset)) {
    Put(in_[0].elements[static_cast<size_t>(place)]);
  }
}

void Evaluation::Roll() {
  EachLane([&](const Refs& row) {
    const auto size = static_cast<int64_t>(row.size());
    Refs results(row.size());
    for (int64_t k = 0; k < size; ++k) {
      const int64_t to = (k + statement_.Get<int64_t>(program::Key::kBy) % size + size) % size;
      results[static_cast<size_t>(to)] = row[static_cast<size_t>(k)];
    }
    return results;
  });
}

void Evaluation::Triangle() {
  const auto by = statement_.Get<int64_t>(program::Key::kBy);
  const Shape& shape = in_[0].shape;
  const int64_t rows = shape[shape.size() - 2], columns = shape.back();
  int64_t row = 0, column = 0;
  for (Ref a : in_[0].elements) {
    const bool kept = op_ == Opcode::kTril ? column - row <= by : column - row >= by;
    Put(kept ? a : math_.Zero(type()));
    if (++column < columns) continue;
    column = 0;
    row = (row + 1) % rows;
  }
}

void Evaluation::PickLanes() {
  const Tensor &from = in_[0], &indices = in_[1];
  const auto dim = static_cast<size_t>(Dim());
  const int64_t size = from.shape[dim];
  // The place of a result without its coordinate along dim=.
  Places strides = StridesOf(from.shape);
  const int64_t step = strides[dim];
  strides[dim] = 0;
  const Places bases = Enumerate(out_.shape, strides);
  const Places own = StridesOf(out_.shape);
  for (size_t i = 0; i < bases.size(); ++i) {
    const int64_t coordinate = static_cast<int64_t>(i) / own[dim] % out_.shape[dim];
    Ref index = indices.elements[op_ == Opcode::kGather ? i : static_cast<size_t>(coordinate)];
    if (index->known) {
      const auto place = bases[i] + static_cast<int64_t>(InRange(index, size)) * step;
      Put(from.elements[static_cast<size_t>(place)]);
    } else {
      Put(math_.AnyOf(RowOf(from, {bases[i], step, size})));
    }
  }
}

void Evaluation::ScatterAdd() {
  const Tensor &indices = in_[1], &added = in_[2];
  const auto dim = static_cast<size_t>(Dim());
  const int64_t size = in_[0].shape[dim];
  Places strides = StridesOf(in_[0].shape);
  const int64_t step = strides[dim];
  strides[dim] = 0;
  const Places bases = Enumerate(indices.shape, strides);
  // Places in `added`, which may be larger than the indices.
  const Places sources = Enumerate(indices.shape, StridesOf(added.shape));
  std::vector<Refs> terms;
  for (Ref a : in_[0].elements) terms.push_back({a});
  for (size_t i = 0; i < bases.size(); ++i) {
    Ref index = indices.elements[i], term = added.elements[static_cast<size_t>(sources[i])];
    if (index->known) {
      const auto place = bases[i] + static_cast<int64_t>(InRange(index, size)) * step;
      terms[static_cast<size_t>(place)].push_back(term);
      continue;
    }
    for (int64_t k = 0; k < size; ++k) {
      Ref perhaps = math_.AnyOf({math_.Zero(type()), term});
      terms[static_cast<size_t>(bases[i] + k * step)].push_back(perhaps);
    }
  }
  for (const Refs& row : terms) Put(row.size() == 1 ? row[0] : math_.Sum(row, type()));
}

}  // namespace twingrad::reference::ball
