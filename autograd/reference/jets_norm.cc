// The dual witness's rule for norms of groups: at zeros alone a norm has no derivative.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "autograd/reference/algebra.h"
#include "autograd/reference/jets.h"
#include "autograd/reference/moments.h"
#include "autograd/reference/partials.h"

namespace twingrad::reference {

// There the generalized gradient is all vectors of length 1 or less, of which the extreme ones that
// are tried point along an axis. This repository takes 0; where bounds leave open whether all are
// zeros, nothing is known of its gradient.
Jets JetAlgebra::Norm(const Jets& a, const PrimitiveArguments& groups) {
  const Jets smooth = NormOf(*this, Constant(a.value), groups);
  if (a.tangents == nullptr) return smooth;
  const int32_t count = Count(*groups.shape), size = a.value->size;
  std::vector<std::vector<int32_t>> members(count);
  std::vector<bool> is_zero(count, true), near(count, false);
  for (int32_t i = 0; i < size; ++i) {
    const Number x = a.value->At(i);
    members[groups.map[i]].push_back(i);
    if (!MayBeZero(x) || std::isnan(x.v)) is_zero[groups.map[i]] = false;
    if (x.e != 0) near[groups.map[i]] = true;
  }
  std::vector<int32_t> zeros, elements;
  auto* partials = arena_.Allocate<Partials>(size);
  std::fill(partials, partials + size, Straight(kZero));
  for (int32_t g = 0; g < count; ++g) {
    if (!is_zero[g]) continue;
    zeros.push_back(g);
    elements.insert(elements.end(), members[g].begin(), members[g].end());
    const auto axes = static_cast<int32_t>(members[g].size());
    const int32_t one = axes == 0 ? -1 : choices_.OneOf(Kink::kNorm, 2 * axes, true);
    const bool own = choices_.rule() == Choices::Rule::kOwn;
    for (int32_t k = 0; k < axes; ++k) {
      Partials& p = partials[members[g][k]];
      if (near[g] && own) p = Straight(kNothingKnown);
      if (one == -2) p = Straight(Slope{kZero, 1});
      if (one >= 0 && one / 2 == k) p = Straight(one % 2 == 0 ? kOne : -kOne);
    }
  }
  if (zeros.empty()) return NormOf(*this, a, groups);
  const auto ones = reference::Constant(*this, a, {static_cast<int64_t>(elements.size())}, 1);
  const Jets others = Overwrite(*this, a, ones, ListedMap(arena_, elements));
  const Jets lengths = NormOf(*this, others, groups);
  const Tangents* along = tangents_.Combine(a.tangents, nullptr, size, partials);
  const Jets bent = {smooth.value, tangents_.ScatterAdd(along, groups.map, count)};
  const IndexMap places = ListedMap(arena_, zeros);
  const Shape* shape = arena_.Keep({static_cast<int64_t>(zeros.size())});
  return Overwrite(*this, lengths, Gather(*this, bent, places, shape), places);
}

}  // namespace twingrad::reference
