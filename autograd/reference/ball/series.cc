#include "autograd/reference/ball/series.h"

#include <algorithm>
#include <array>
#include <functional>

namespace twingrad::reference::ball {
namespace {

Monomial Pack(std::array<int32_t, 6> variables, int degree) {
  std::sort(variables.begin(), variables.begin() + degree, std::greater<>());
  Monomial m = static_cast<Monomial>(degree) << 60;
  for (int i = 0; i < degree; ++i) {
    m |= static_cast<Monomial>(variables[static_cast<size_t>(i)] + 1) << (40 - 20 * i);
  }
  return m;
}

bool ByMonomial(const Term& a, const Term& b) { return a.monomial < b.monomial; }

}  // namespace

Monomial OfVariable(int32_t variable) { return Pack({variable}, 1); }

Monomial Times(Monomial a, Monomial b) {
  std::array<int32_t, 6> variables = {};
  int degree = 0;
  for (const Monomial m : {a, b}) {
    for (int i = 0; i < Degree(m); ++i) {
      variables[static_cast<size_t>(degree++)] = VariableAt(m, i);
    }
  }
  return Pack(variables, degree);
}

Monomial Without(Monomial m, int32_t variable) {
  std::array<int32_t, 6> variables = {};
  int degree = 0;
  bool left_out = false;
  for (int i = 0; i < Degree(m); ++i) {
    if (!left_out && VariableAt(m, i) == variable) {
      left_out = true;
      continue;
    }
    variables[static_cast<size_t>(degree++)] = VariableAt(m, i);
  }
  return Pack(variables, degree);
}

int Multiplicity(Monomial m, int32_t variable) {
  int times = 0;
  for (int i = 0; i < Degree(m); ++i) times += VariableAt(m, i) == variable ? 1 : 0;
  return times;
}

void SeriesSum::Add(const Series& a) {
  Limit(a.order);
  budget_.Spend(a.terms.size());
  terms_.insert(terms_.end(), a.terms.begin(), a.terms.end());
}

void SeriesSum::Add(const Series& a, const Real& factor) {
  Limit(a.order);
  budget_.Spend(a.terms.size());
  for (const Term& term : a.terms) terms_.push_back({term.monomial, term.coefficient * factor});
}

void SeriesSum::AddProduct(const Series& a, const Series& b) {
  Limit(std::min(a.order, b.order));
  for (const Term& s : a.terms) {
    const int room = order_ - Degree(s.monomial);
    if (room < 1) break;  // terms are sorted by degree first
    for (const Term& t : b.terms) {
      if (Degree(t.monomial) > room) break;
      budget_.Spend(1);
      terms_.push_back({Times(s.monomial, t.monomial), s.coefficient * t.coefficient});
    }
  }
}

void SeriesSum::AddTerm(Monomial monomial, Real coefficient) {
  budget_.Spend(1);
  terms_.push_back({monomial, std::move(coefficient)});
}

Series SeriesSum::Take() {
  if (!std::is_sorted(terms_.begin(), terms_.end(), ByMonomial)) {
    std::stable_sort(terms_.begin(), terms_.end(), ByMonomial);
  }
  Series sum;
  sum.order = order_;
  for (Term& term : terms_) {
    if (Degree(term.monomial) > order_) break;
    if (term.monomial == 0) continue;
    if (!sum.terms.empty() && sum.terms.back().monomial == term.monomial) {
      Real& total = sum.terms.back().coefficient;
      total = total + term.coefficient;
    } else {
      sum.terms.push_back(std::move(term));
    }
  }
  terms_.clear();
  return sum;
}

Series Compose(Budget& budget, const Taylor& f, const Series& d) {
  SeriesSum sum(budget);
  sum.Limit(d.order);
  Series power = d;
  for (size_t k = 1; k < f.size() && static_cast<int>(k) <= d.order; ++k) {
    if (k > 1) {
      SeriesSum next(budget);
      next.AddProduct(power, d);
      power = next.Take();
    }
    if (!f[k].IsZero()) sum.Add(power, f[k]);
  }
  return sum.Take();
}

Series HullOf(Budget& budget, const std::vector<const Series*>& all) {
  Series hull;
  std::vector<Monomial> monomials;
  for (const Series* a : all) {
    hull.order = std::min(hull.order, a->order);
    for (const Term& term : a->terms) monomials.push_back(term.monomial);
  }
  std::sort(monomials.begin(), monomials.end());
  monomials.erase(std::unique(monomials.begin(), monomials.end()), monomials.end());
  budget.Spend(monomials.size() * all.size());
  const Real zero;
  for (const Monomial m : monomials) {
    if (Degree(m) > hull.order) break;
    Term term;
    bool first = true;
    for (const Series* a : all) {
      const auto at = std::lower_bound(a->terms.begin(), a->terms.end(), Term{m, {}}, ByMonomial);
      const bool present = at != a->terms.end() && at->monomial == m;
      const Real& coefficient = present ? at->coefficient : zero;
      term.coefficient = first ? coefficient : Hull(term.coefficient, coefficient);
      first = false;
    }
    term.monomial = m;
    hull.terms.push_back(std::move(term));
  }
  return hull;
}

Series UnknownLike(Budget& budget, const Series& a) {
  Series unknown;
  unknown.order = a.order;
  budget.Spend(a.terms.size());
  for (const Term& term : a.terms) unknown.terms.push_back({term.monomial, Real::Unknown()});
  return unknown;
}

}  // namespace twingrad::reference::ball
