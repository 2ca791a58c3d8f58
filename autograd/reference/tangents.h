// Tangents: the first and second derivatives of an array's elements along the seeded variables.
//
// A variable is one element of a leaf (or of a value whose gradient is asked for). Tangents cover
// an interval of variables; outside it all derivatives are 0, and an array without tangents is
// constant. Each element carries a bound on the error of any of its first (second) derivatives and
// one on their magnitude. Bounding each element in the maximum norm keeps bounds cheap compared
// with the derivatives.
//
// A derivative may be infinite, which is exact, or NaN: then mathematics names none. Elements with
// such derivatives are `odd`. Where the witness takes all legal slopes at once (choices.h),
// `spread` says for each first derivative how far the legal ones lie from it.
//
// Most elements depend on few of the variables: each has its `support`, outside which its first and
// second derivatives are 0, so that products and sums leave them out. Second derivatives outside it
// are not even written.
//
// Second derivatives are symmetric and kept as the rows of the upper triangle. Immutable once made;
// everything lives in the run's arena.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "autograd/reference/arena.h"
#include "autograd/reference/index_map.h"
#include "autograd/reference/numbers.h"

namespace twingrad::reference {

// Of variables.
struct Interval {
  int32_t begin = 0;
  int32_t end = 0;

  bool Contains(int32_t variable) const { return variable >= begin && variable < end; }
  // Makes it include another one.
  void Extend(const Interval& by) {
    if (by.begin == by.end) return;
    const bool empty = begin == end;
    begin = empty ? by.begin : std::min(begin, by.begin);
    end = std::max(end, by.end);
  }
};

struct Tangents {
  int32_t size = 0;  // elements
  int32_t begin = 0;
  int32_t end = 0;  // variables [begin, end)
  double* first = nullptr;
  double* second = nullptr;  // null where all are 0 or unknown, and at first order
  double* first_error = nullptr;
  double* first_magnitude = nullptr;
  double* second_error = nullptr;
  double* second_magnitude = nullptr;
  double* odd = nullptr;        // 1 where an element has first derivatives that are not finite
  double* spread = nullptr;     // of each first derivative; null where there is but one slope
  Interval* support = nullptr;  // of each element

  int32_t width() const { return end - begin; }
  int64_t pairs() const { return int64_t{width()} * (width() + 1) / 2; }
  double* FirstOf(int32_t i) const { return first + int64_t{i} * width(); }
  double* SpreadOf(int32_t i) const { return spread + int64_t{i} * width(); }
  // Only those of variables in the element's support hold something.
  double* SecondOf(int32_t i) const { return second + i * pairs(); }
  // Offset of the row of variable begin + r in a triangle, minus r: entry j >= r of the row is at
  // Row(r) + j.
  int64_t Row(int32_t r) const { return int64_t{r} * width() - int64_t{r} * (r + 1) / 2; }
  // The second derivatives along a variable and each from it on.
  double* RowOf(int32_t i, int32_t variable) const {
    const int32_t r = variable - begin;
    return SecondOf(i) + Row(r) + r;
  }
  // The second derivative with respect to two variables, in any order; 0 outside the support.
  double Second(int32_t i, int32_t a, int32_t b) const {
    if (second == nullptr || !support[i].Contains(a) || !support[i].Contains(b)) return 0;
    return SecondOf(i)[Row(std::min(a, b) - begin) + std::max(a, b) - begin];
  }
  double First(int32_t i, int32_t a) const {
    return a < begin || a >= end ? 0 : FirstOf(i)[a - begin];
  }
  // With its error, which is 0 outside the support.
  Number Slope(int32_t i, int32_t a) const {
    return support[i].Contains(a) ? Number{FirstOf(i)[a - begin], first_error[i]} : Number{0, 0};
  }
  double Spread(int32_t i, int32_t a) const {
    return spread == nullptr || a < begin || a >= end ? 0 : SpreadOf(i)[a - begin];
  }
  // Makes the support of an element include `by`, with second derivatives of 0.
  void Extend(int32_t i, const Interval& by) {
    const Interval before = support[i];
    support[i].Extend(by);
    const bool grew = support[i].begin != before.begin || support[i].end != before.end;
    if (grew && second != nullptr) ClearSecond(i, before);
  }
  // Makes them 0 where one variable is in the support and not in `held`.
  void ClearSecond(int32_t i, const Interval& held);
  // Whether nothing is known of the second derivatives of any element, as of gradients.
  bool HidesSecond() const {
    return second == nullptr && std::all_of(second_error, second_error + size,
                                            [](double error) { return error == kUnknown; });
  }
};

// The partial derivatives of a function of two numbers, with their errors.
struct Partials {
  Number a = {}, b = {}, aa = {}, ab = {}, bb = {};
  // How far other legal slopes lie from a and b.
  double a_spread = 0, b_spread = 0;
  // Whether a slope of 0 means that the function is constant nearby.
  bool a_flat = false, b_flat = false;
  bool a_may_be_nan = false;  // by a formula that is right elsewhere
};

// Thrown when a Program needs more derivatives than a witness may hold.
struct TooWide {};

class TangentAlgebra {
 public:
  TangentAlgebra(Arena& arena, int order) : arena_(arena), order_(order) {}

  int order() const { return order_; }
  // What is made from here on is asked for no more than so many orders of derivatives, and nothing
  // is known of the others.
  void Ask(int order) { asked_ = order; }

  // Zero tangents of `size` elements over an interval, with empty supports; second derivatives are
  // allocated if `curved` and asked for.
  Tangents* New(int32_t size, int32_t begin, int32_t end, bool curved, bool spreads);
  // `a`, which may be null, with a variable for each element: element i has derivative `weight`
  // along variable begin + i.
  const Tangents* Seeded(const Tangents* a, int32_t size, int32_t begin, double weight);

  // Elementwise function of a and b; either may be null (constant). `partials` has one entry per
  // element.
  const Tangents* Combine(const Tangents* a, const Tangents* b, int32_t size,
                          const Partials* partials);
  const Tangents* Gather(const Tangents* a, const IndexMap& map);
  const Tangents* ScatterAdd(const Tangents* a, const IndexMap& map, int32_t size);
  // `base` with `values` at the places of the map.
  const Tangents* Overwrite(const Tangents* base, int32_t size, const Tangents* values,
                            const IndexMap& map);
  const Tangents* Scaled(const Tangents* a, double factor);
  // `a`, or zeros along these variables, of which nothing is known at the elements that are
  // `hidden`.
  const Tangents* Hidden(const Tangents* a, const std::vector<bool>& hidden, int32_t begin,
                         int32_t end);

  // How often an element that depends on this variable enters an operation whose partial derivative
  // is infinite or no number, and whether any does. Reverse mode multiplies such a partial
  // derivative by every cotangent, and 0 times it is NaN: so a variable whose slopes of 0 hide
  // whether an element depends on it counts as well.
  int Singular(int32_t variable) const;
  bool AnySingular() const { return !singular_.empty(); }
  // Whether this variable enters an operation with a slope of 0 that is not constant nearby: behind
  // it a derivative of 0 does not mean that there is no dependence.
  bool Zeroed(int32_t variable) const;

 private:
  // The same, whose contents are yet to be written.
  Tangents* Room(int32_t size, int32_t begin, int32_t end, bool curved, bool spreads);
  void NoteSingular(const Tangents* operand, int32_t i, Number slope, bool flat, Number curvature,
                    Number mixed);
  // Whether a function of these has nonzero second derivatives.
  bool IsCurved(const Tangents* a, const Tangents* b, int32_t size, const Partials* partials) const;
  // A slope as an element is multiplied by it.
  struct Factor {
    Number value;
    double spread = 0;
    bool flat = false;
  };
  void AddElement(Tangents& to, int32_t at, const Tangents& from, int32_t i, const Factor& factor);
  void AddOdd(Tangents& to, int32_t at, const Tangents& from, int32_t i, const Factor& factor);
  void AddSecond(Tangents& to, int32_t at, const Tangents& from, int32_t i, Number factor);
  void AddProduct(Tangents& to, int32_t at, const Tangents& a, const Tangents& b, int32_t i,
                  Number factor);

  bool FollowsSecond() const { return std::min(order_, asked_) > 1; }

  Arena& arena_;
  const int order_;
  int asked_ = 2;
  int64_t total_ = 0;
  // An element that enters such an operation: its support, and the variables of its array.
  struct SingularElement {
    Interval support, all;
  };
  std::vector<SingularElement> singular_;
  std::vector<Interval> zeroed_;  // enter an operation with a slope of 0 that is not flat
  std::vector<Interval> masked_;  // or flat
};

}  // namespace twingrad::reference
