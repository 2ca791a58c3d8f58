// Tangents of what is moved, added up, overwritten and scaled.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "autograd/reference/tangents.h"

namespace twingrad::reference {

const Tangents* TangentAlgebra::Gather(const Tangents* a, const IndexMap& map) {
  if (a == nullptr || (map.identity() && map.size == a->size)) return a;
  Tangents* out = Room(map.size, a->begin, a->end, a->second != nullptr, a->spread != nullptr);
  for (int32_t i = 0; i < map.size; ++i) {
    const int32_t from = map[i];
    std::copy(a->FirstOf(from), a->FirstOf(from) + a->width(), out->FirstOf(i));
    const auto [begin, end] = a->support[from];
    for (int32_t v = begin; a->second != nullptr && v < end; ++v) {
      std::copy_n(a->RowOf(from, v), end - v, out->RowOf(i, v));
    }
    if (a->spread != nullptr) {
      std::copy(a->SpreadOf(from), a->SpreadOf(from) + a->width(), out->SpreadOf(i));
    }
    out->support[i] = a->support[from];
    out->odd[i] = a->odd[from];
    out->first_error[i] = a->first_error[from];
    out->first_magnitude[i] = a->first_magnitude[from];
    out->second_error[i] = a->second_error[from];
    out->second_magnitude[i] = a->second_magnitude[from];
  }
  return out;
}

const Tangents* TangentAlgebra::ScatterAdd(const Tangents* a, const IndexMap& map, int32_t size) {
  if (a == nullptr || (map.identity() && size == a->size)) return a;
  Tangents* out = New(size, a->begin, a->end, a->second != nullptr, a->spread != nullptr);
  for (int32_t i = 0; i < a->size; ++i) AddElement(*out, map[i], *a, i, {{1, 0}});
  return out;
}

const Tangents* TangentAlgebra::Overwrite(const Tangents* base, int32_t size,
                                          const Tangents* values, const IndexMap& map) {
  if (base == nullptr && values == nullptr) return nullptr;
  const Tangents& any = base != nullptr ? *base : *values;
  const int32_t begin = values != nullptr ? std::min(any.begin, values->begin) : any.begin;
  const int32_t end = values != nullptr ? std::max(any.end, values->end) : any.end;
  auto* written = arena_.Allocate<int32_t>(size);
  std::fill(written, written + size, -1);
  for (int32_t i = 0; i < map.size; ++i) written[map[i]] = i;
  const auto curved = [](const Tangents* t) { return t != nullptr && t->second != nullptr; };
  const auto spread = [](const Tangents* t) { return t != nullptr && t->spread != nullptr; };
  Tangents* out =
      New(size, begin, end, curved(base) || curved(values), spread(base) || spread(values));
  for (int32_t i = 0; i < size; ++i) {
    const Tangents* from = written[i] >= 0 ? values : base;
    if (from != nullptr) AddElement(*out, i, *from, written[i] >= 0 ? written[i] : i, {{1, 0}});
  }
  return out;
}

const Tangents* TangentAlgebra::Scaled(const Tangents* a, double factor) {
  if (a == nullptr) return nullptr;
  Tangents* out = New(a->size, a->begin, a->end, a->second != nullptr, a->spread != nullptr);
  for (int32_t i = 0; i < a->size; ++i) {
    NoteSingular(a, i, {factor, 0}, /*flat=*/true, {}, {});
    AddElement(*out, i, *a, i, {{factor, 0}});
  }
  return out;
}

const Tangents* TangentAlgebra::Hidden(const Tangents* a, const std::vector<bool>& hidden,
                                       int32_t begin, int32_t end) {
  const auto size = static_cast<int32_t>(hidden.size());
  const bool curved = a != nullptr && a->second != nullptr;
  if (a != nullptr) {
    begin = std::min(begin, a->begin);
    end = std::max(end, a->end);
  }
  Tangents* out = New(size, begin, end, curved, a != nullptr && a->spread != nullptr);
  for (int32_t i = 0; i < size; ++i) {
    if (a != nullptr) AddElement(*out, i, *a, i, {{1, 0}});
    if (!hidden[static_cast<size_t>(i)]) continue;
    out->first_error[i] = out->second_error[i] = kUnknown;
    out->Extend(i, {out->begin, out->end});
  }
  return out;
}

}  // namespace twingrad::reference
