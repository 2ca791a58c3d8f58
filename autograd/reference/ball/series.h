// Series: a truncated Taylor series in many variables, without its constant term.
//
// A sparse list of monomials of degree 1 to `order`, at most 3, each with a ball as its
// coefficient. An absent one is exactly zero. The order of a result is the least of its operands':
// what lies above it is dropped, since it would not be complete.

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/reference/ball/real.h"

namespace twingrad::reference::ball {

inline constexpr int kMaxOrder = 3;
inline constexpr int32_t kMaxVariables = (1 << 20) - 1;

// A product of at most three variables: its degree in the topmost bits, then the variables, each
// counted from 1 in 20 bits, the greatest first. 0 is the constant 1.
using Monomial = uint64_t;
Monomial OfVariable(int32_t variable);
constexpr int Degree(Monomial m) { return static_cast<int>(m >> 60); }
// Variable number `place` of the monomial; -1 where it has fewer.
constexpr int32_t VariableAt(Monomial m, int place) {
  return static_cast<int32_t>(m >> (40 - 20 * place) & 0xfffff) - 1;
}
Monomial Times(Monomial a, Monomial b);  // of degrees whose sum is at most 3
Monomial Without(Monomial m, int32_t variable);
int Multiplicity(Monomial m, int32_t variable);

struct Term {
  Monomial monomial = 0;
  Real coefficient;
};

struct Series {
  int order = kMaxOrder;
  std::vector<Term> terms;  // by monomial, each once

  bool IsConstant() const { return terms.empty(); }
};

// Counts terms made; more than the limit throw TooLarge.
struct TooLarge {};
class Budget {
 public:
  explicit Budget(size_t limit) : left_(limit) {}
  void Spend(size_t terms) {
    if (terms > left_) throw TooLarge();
    left_ -= terms;
  }

 private:
  size_t left_;
};

// Adds up series and products of series.
class SeriesSum {
 public:
  explicit SeriesSum(Budget& budget) : budget_(budget) {}
  void Add(const Series& a);
  void Add(const Series& a, const Real& factor);
  // The terms of a times those of b.
  void AddProduct(const Series& a, const Series& b);
  void AddTerm(Monomial monomial, Real coefficient);
  // Lowers the order of the sum.
  void Limit(int order) {
    if (order < order_) order_ = order;
  }
  // Adds up terms of the same monomial; of constants too (see Constant), which the Series leaves
  // out.
  Series Take();

 private:
  Budget& budget_;
  int order_ = kMaxOrder;
  std::vector<Term> terms_;
};

// f0 + f1 d + f2 d² + ... without f0, for d without a constant; f has order + 1 coefficients.
Series Compose(Budget& budget, const Taylor& f, const Series& d);
// Monomial by monomial, the hull of the coefficients.
Series HullOf(Budget& budget, const std::vector<const Series*>& all);
// With every coefficient unknown.
Series UnknownLike(Budget& budget, const Series& a);

}  // namespace twingrad::reference::ball
