// What indices in several dimensions, or a mask, take, put and reduce.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "autograd/reference/ball/evaluate.h"

namespace twingrad::reference::ball {

using program::Key;

namespace {

// Which elements are true; they must be as many as the statement says.
Places TruePlaces(const Refs& mask, int64_t count) {
  Places places;
  for (size_t i = 0; i < mask.size(); ++i) {
    if (!mask[i]->known) throw NotApplicable{Refusal::kIndex};
    if (mask[i]->integer != 0) places.push_back(static_cast<int64_t>(i));
  }
  if (static_cast<int64_t>(places.size()) != count) throw NotApplicable{Refusal::kIndex};
  return places;
}

// The shape that all are broadcast to.
Places Together(absl::Span<const Tensor> all) {
  Places shape;
  for (const Tensor& one : all) {
    while (shape.size() < one.shape.size()) shape.insert(shape.begin(), 1);
    for (size_t d = 0; d < one.shape.size(); ++d) {
      int64_t& size = shape[shape.size() - one.shape.size() + d];
      if (one.shape[d] != 1) size = one.shape[d];
    }
  }
  return shape;
}

}  // namespace

// The places at which the indices from operand `first` on stand together.
Places Evaluation::CornersAt(size_t first, const Places& shape) const {
  const Places strides = StridesOf(in_[0].shape);
  Places corners(static_cast<size_t>(CountOf(shape)), 0);
  for (size_t k = first; k < in_.size(); ++k) {
    const Places from = Broadcasting(in_[k].shape, shape);
    for (size_t i = 0; i < corners.size(); ++i) {
      Ref index = in_[k].elements[static_cast<size_t>(from[i])];
      const int64_t size = in_[0].shape[k - first];
      const bool fits = index->known && index->integer >= 0 && index->integer < size;
      if (!fits) throw NotApplicable{Refusal::kIndex};
      corners[i] += index->integer * strides[k - first];
    }
  }
  return corners;
}

Evaluation::NamedPlaces Evaluation::Named(size_t first) const {
  const Shape& whole = in_[0].shape;
  const bool masked = in_[first].type == DType::kBool;
  const size_t dims = masked ? in_[first].shape.size() : in_.size() - first;
  const Places rest(whole.begin() + static_cast<std::ptrdiff_t>(dims), whole.end());
  NamedPlaces named;
  Places corners;
  if (masked) {
    for (const int64_t i : TruePlaces(in_[first].elements, statement_.Get<int64_t>(Key::kCount))) {
      corners.push_back(i * CountOf(rest));
    }
    named.shape = {static_cast<int64_t>(corners.size())};
  } else {
    named.shape = Together(absl::MakeConstSpan(in_).subspan(first));
    corners = CornersAt(first, named.shape);
  }
  named.shape.insert(named.shape.end(), rest.begin(), rest.end());
  for (const int64_t corner : corners) {
    for (int64_t k = 0; k < CountOf(rest); ++k) named.places.push_back(corner + k);
  }
  return named;
}

void Evaluation::Index() {
  for (const int64_t place : Named(1).places) Put(in_[0].elements[static_cast<size_t>(place)]);
}

// Later ones overwrite earlier ones, or all are added.
void Evaluation::IndexPut() {
  const NamedPlaces named = Named(2);
  const bool adds = statement_.Get<bool>(Key::kAccumulate);
  const Places from = Broadcasting(in_[1].shape, named.shape);
  std::vector<Refs> terms;
  for (Ref a : in_[0].elements) terms.push_back({a});
  for (size_t i = 0; i < from.size(); ++i) {
    Refs& there = terms[static_cast<size_t>(named.places[i])];
    if (!adds) there.clear();
    there.push_back(in_[1].elements[static_cast<size_t>(from[i])]);
  }
  for (const Refs& row : terms) Put(row.size() == 1 ? row[0] : math_.Sum(row, type()));
}

void Evaluation::MaskedSelect() {
  const Places all = Together(in_);
  Refs mask;
  for (const int64_t place : Broadcasting(in_[1].shape, all)) {
    mask.push_back(in_[1].elements[static_cast<size_t>(place)]);
  }
  const Places from = Broadcasting(in_[0].shape, all);
  for (const int64_t i : TruePlaces(mask, statement_.Get<int64_t>(Key::kCount))) {
    Put(in_[0].elements[static_cast<size_t>(from[static_cast<size_t>(i)])]);
  }
}

Ref Evaluation::ReduceMet(const Refs& row) {
  const auto reduction = statement_.Get<std::string>(Key::kReduction);
  if (row.size() == 1) return row[0];
  if (reduction == "prod") return math_.Product(row, type());
  if (reduction == "amax" || reduction == "amin") {
    return math_.Extreme(row, reduction == "amax", type());
  }
  return math_.Sum(row, type(), reduction == "mean" ? static_cast<int64_t>(row.size()) : 1);
}

void Evaluation::ScatterReduce() {
  const Tensor &indices = in_[1], &sent = in_[2];
  const auto dim = static_cast<size_t>(Dim());
  const bool include_self = statement_.Get<bool>(Key::kIncludeSelf, true);
  Places strides = StridesOf(in_[0].shape);
  const int64_t step = strides[dim];
  strides[dim] = 0;
  const Places bases = Enumerate(indices.shape, strides);
  std::vector<Refs> met(in_[0].elements.size());
  for (size_t i = 0; i < bases.size(); ++i) {
    Ref index = indices.elements[i];
    const bool fits = index->known && index->integer >= 0 && index->integer < in_[0].shape[dim];
    if (!fits) throw NotApplicable{Refusal::kIndex};
    met[static_cast<size_t>(bases[i] + index->integer * step)].push_back(sent.elements[i]);
  }
  for (size_t i = 0; i < met.size(); ++i) {
    if (include_self || met[i].empty()) met[i].insert(met[i].begin(), in_[0].elements[i]);
    Put(ReduceMet(met[i]));
  }
}

std::vector<Places> Evaluation::EntriesIn(const Shape& whole) const {
  const int64_t dims = in_[1].shape[0], count = in_[1].shape[1];
  const Places strides = StridesOf(whole);
  const Places rest(whole.begin() + dims, whole.end());
  std::vector<Places> entries;
  for (int64_t e = 0; e < count; ++e) {
    int64_t corner = 0;
    for (int64_t d = 0; d < dims; ++d) {
      Ref index = in_[1].elements[static_cast<size_t>(d * count + e)];
      const bool fits =
          index->known && index->integer >= 0 && index->integer < whole[static_cast<size_t>(d)];
      if (!fits) throw NotApplicable{Refusal::kIndex};
      corner += index->integer * strides[static_cast<size_t>(d)];
    }
    Places& entry = entries.emplace_back();
    for (int64_t k = 0; k < CountOf(rest); ++k) entry.push_back(corner + k);
  }
  return entries;
}

void Evaluation::SparseCoo() {
  std::vector<Refs> terms(static_cast<size_t>(CountOf(out_.shape)));
  size_t next = 0;
  for (const Places& entry : EntriesIn(out_.shape)) {
    for (const int64_t place : entry) {
      terms[static_cast<size_t>(place)].push_back(in_[0].elements[next++]);
    }
  }
  for (const Refs& row : terms) {
    Put(row.empty() ? math_.Zero(type()) : row.size() == 1 ? row[0] : math_.Sum(row, type()));
  }
}

void Evaluation::SparseValues() {
  for (const Places& entry : EntriesIn(in_[0].shape)) {
    for (const int64_t place : entry) Put(in_[0].elements[static_cast<size_t>(place)]);
  }
}

// The different ones, in ascending order.
void Evaluation::SparseIndices() {
  const int64_t dims = in_[1].shape[0], count = in_[1].shape[1];
  std::set<Places> different;
  for (int64_t e = 0; e < count; ++e) {
    Places index;
    for (int64_t d = 0; d < dims; ++d) {
      Ref element = in_[1].elements[static_cast<size_t>(d * count + e)];
      if (!element->known) throw NotApplicable{Refusal::kIndex};
      index.push_back(element->integer);
    }
    different.insert(index);
  }
  out_.shape = {dims, static_cast<int64_t>(different.size())};
  for (int64_t d = 0; d < dims; ++d) {
    for (const Places& index : different) Put(math_.Integer(index[static_cast<size_t>(d)]));
  }
}

void Evaluation::Coalesce() {
  SparseIndices();
  const bool fits = out_.shape[1] == statement_.Get<int64_t>(Key::kCount, out_.shape[1]);
  if (!fits) throw NotApplicable{Refusal::kIndex};
  out_ = in_[0];
}

}  // namespace twingrad::reference::ball
