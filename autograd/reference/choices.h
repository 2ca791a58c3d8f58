// Choices: the points without a derivative that the dual witness meets, and the slopes it takes
// there.
//
//   Choices choices(Choices::Rule::kOwn);
//   const Slope slope = choices.Between(Kink::kRelu, 0, 0, 1);   // this repository's: 0
//
// Legal are the elements of Clarke's generalized gradient (autograd/semantics/s_kinks.md has the
// table): an engine takes one for each node and element and keeps it in all uses (a conservative
// field; Bolte and Pauwels). A run of the witness takes this repository's own elements, or one
// combination of extreme ones, given by a digit a point, or all at once as an interval. One thread,
// one run.

#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/reference/numbers.h"

namespace twingrad::reference {

enum class Kink : uint8_t {
  kRelu,       // at 0
  kAbs,        // at 0
  kSgn,        // at 0, where it jumps: 0 or infinite
  kMaximum,    // of equal numbers
  kMinimum,    // of equal numbers
  kClamp,      // at a limit
  kExtreme,    // amax, amin: equal elements
  kPick,       // max, min: equal elements
  kOrder,      // sort: equal elements
  kNorm,       // of zeros alone: a direction, or none
  kUndefined,  // a point at which no set of slopes is known: 0^0 by the exponent, any kink at NaN
  kEnd,
};
inline constexpr int kNumKinks = static_cast<int>(Kink::kEnd);
std::string_view KinkName(Kink kink);

// A point that was met, and how many extreme elements its set has.
struct KinkPoint {
  Kink kink = Kink::kEnd;
  int32_t statement = -1;
  int32_t extremes = 1;
  bool operator==(const KinkPoint&) const = default;
};

// A slope; or all slopes that lie within `spread` of it. `flat`: it is 0 because the function is
// constant nearby.
struct Slope {
  Number value;
  double spread = 0;
  bool flat = false;
};

class Choices {
 public:
  enum class Rule : uint8_t { kOwn, kVertex, kEnclosure };
  // With kVertex: the element taken at each point, and whether this repository's own counts among
  // the extreme ones where it lies between them (at second order, where answers are not affine in
  // it).
  explicit Choices(Rule rule, std::vector<int32_t> digits = {}, bool with_own = false)
      : rule_(rule), digits_(std::move(digits)), with_own_(with_own) {}

  // Points met from here on belong to this statement.
  void Enter(int32_t statement) { statement_ = statement; }

  // A slope from low to high. Where a bound leaves open whether the point is met (`near`), nothing
  // is known of this repository's.
  Slope Between(Kink kink, double low, double own, double high, bool near = false);
  // The slope of a jump.
  Slope OfJump(bool near);
  // One of several equals: its number, -1 for equal shares of all, which is this repository's where
  // `shared`, else the first; -2 where all are taken at once.
  int32_t OneOf(Kink kink, int32_t count, bool shared);
  void NoteUndefined() { points_.push_back({Kink::kUndefined, statement_, 1}); }

  Rule rule() const { return rule_; }
  const std::vector<KinkPoint>& points() const { return points_; }

 private:
  int32_t Digit(Kink kink, int32_t extremes);

  const Rule rule_;
  const std::vector<int32_t> digits_;
  const bool with_own_;
  int32_t statement_ = -1;
  std::vector<KinkPoint> points_;
};

}  // namespace twingrad::reference
