// Copies that move elements: joined, reversed, picked and scattered.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/program/view_scatter.h"
#include "autograd/reference/ball/evaluate.h"

namespace twingrad::reference::ball {

using program::Key;
using program::Opcode;

namespace {

size_t InRange(Ref index, int64_t size) {
  if (index->integer < 0 || index->integer >= size) throw NotApplicable{Refusal::kIndex};
  return static_cast<size_t>(index->integer);
}

}  // namespace

void Evaluation::Copy() {
  const DType to = op_ == Opcode::kCast ? statement_.Get<DType>(Key::kTo) : type();
  for (Ref a : in_[0].elements) Put(math_.Cast(a, type(), to));
}

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

// One dimension after another: rows that are longer, each made of entries of a row.
void Evaluation::Pad() {
  const auto pads = statement_.Get<std::vector<int64_t>>(Key::kPads);
  const Ref filling =
      op_ != Opcode::kPad ? nullptr
      : IsFloating(type())
          ? math_.Point(statement_.Get<double>(Key::kBy, 0))
          : math_.Integer(static_cast<int64_t>(statement_.Get<double>(Key::kBy, 0)));
  Tensor now = in_[0];
  for (size_t k = 0; k + 1 < pads.size(); k += 2) {
    const size_t dim = now.shape.size() - 1 - k / 2;
    const int64_t size = now.shape[dim];
    std::vector<int64_t> from;  // -1: the filling
    for (int64_t i = -pads[k]; i < size + pads[k + 1]; ++i) {
      const bool inside = i >= 0 && i < size;
      if (inside) from.push_back(i);
      if (inside) continue;
      const int64_t mirrored = i < 0 ? -i : 2 * size - 2 - i;
      from.push_back(op_ == Opcode::kPad            ? -1
                     : op_ == Opcode::kPadReflect   ? mirrored
                     : op_ == Opcode::kPadReplicate ? (i < 0 ? 0 : size - 1)
                                                    : (i < 0 ? i + size : i - size));
    }
    now = Taken(now, dim, from, filling);
  }
  out_.elements = std::move(now.elements);
}

void Evaluation::Repeat() {
  const auto counts = statement_.Get<std::vector<int64_t>>(Key::kShape);
  Tensor now = in_[0];
  while (now.shape.size() < counts.size()) now.shape.insert(now.shape.begin(), 1);
  for (size_t dim = 0; dim < counts.size(); ++dim) {
    std::vector<int64_t> from;
    for (int64_t i = 0; i < counts[dim] * now.shape[dim]; ++i) from.push_back(i % now.shape[dim]);
    now = Taken(now, dim, from, nullptr);
  }
  out_.elements = std::move(now.elements);
}

// The entries `from` of a dimension, in this order; of -1 the filling.
Tensor Evaluation::Taken(const Tensor& of, size_t dim, const std::vector<int64_t>& from,
                         Ref filling) {
  Tensor taken = of;
  taken.shape[dim] = static_cast<int64_t>(from.size());
  taken.elements.assign(static_cast<size_t>(CountOf(taken.shape)), filling);
  const auto of_lanes = LanesAlong(of.shape, static_cast<int64_t>(dim));
  const auto lanes = LanesAlong(taken.shape, static_cast<int64_t>(dim));
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    for (size_t k = 0; k < from.size(); ++k) {
      if (from[k] < 0) continue;
      taken.elements[static_cast<size_t>(lanes[lane].At(static_cast<int64_t>(k)))] =
          of.elements[static_cast<size_t>(of_lanes[lane].At(from[k]))];
    }
  }
  return taken;
}

void Evaluation::PickLanes() {
  const Tensor &from = in_[0], &indices = in_[1];
  const auto dim = static_cast<size_t>(Dim());
  const int64_t size = from.shape[dim];
  for (Ref index : indices.elements) {  // also those at which no element is picked
    if (index->known) InRange(index, size);
  }
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

Tensor Evaluation::IndicesOfAdded() const {
  if (op_ != Opcode::kIndexAdd && op_ != Opcode::kIndexCopy) return in_[1];
  Tensor indices = in_[1];
  indices.shape = in_[2].shape;
  indices.elements.clear();
  const auto dim = static_cast<size_t>(Dim());
  const int64_t own = StridesOf(indices.shape)[dim];
  for (int64_t i = 0; i < CountOf(indices.shape); ++i) {
    const int64_t coordinate = i / own % indices.shape[dim];
    indices.elements.push_back(in_[1].elements[static_cast<size_t>(coordinate)]);
  }
  return indices;
}

void Evaluation::ScatterAdd() {
  const Tensor& added = in_[2];
  const Tensor indices = IndicesOfAdded();
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

// Later ones overwrite earlier ones.
void Evaluation::Scatter() {
  const Tensor indices = IndicesOfAdded();
  const auto dim = static_cast<size_t>(Dim());
  const int64_t size = in_[0].shape[dim];
  Places strides = StridesOf(in_[0].shape);
  const int64_t step = strides[dim];
  strides[dim] = 0;
  const Places bases = Enumerate(indices.shape, strides);
  out_.elements = in_[0].elements;
  for (size_t i = 0; i < bases.size(); ++i) {
    Ref index = indices.elements[i], written = in_[2].elements[i];
    const int64_t first = index->known ? static_cast<int64_t>(InRange(index, size)) : 0;
    const int64_t last = index->known ? first : size - 1;
    for (int64_t k = first; k <= last; ++k) {
      Ref& there = out_.elements[static_cast<size_t>(bases[i] + k * step)];
      there = index->known ? written : math_.AnyOf({there, written});
    }
  }
}

void Evaluation::ScatterView() {
  program::Statement view = statement_;
  view.op = *program::ViewWrittenBy(op_);
  out_.elements = in_[0].elements;
  const Places places = Layout::Of(in_[0].shape).View(view).AllPlaces();
  for (size_t i = 0; i < places.size(); ++i) {
    out_.elements[static_cast<size_t>(places[i])] = in_[1].elements[i];
  }
}

}  // namespace twingrad::reference::ball
