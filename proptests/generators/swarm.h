// Swarm: what one Program is made of, drawn anew for each.
//
// Weights that are the same for all Programs make all of them alike: each holds a little of
// everything, and few hold enough of two things for a defect that needs both. So most Programs draw
// a few features of their own, some of them heavy, and at each choice they narrow to a few of its
// outcomes: the same two views, one action of hooks, writes through values that share memory. The
// others keep the fixed weights. After Groce, Zhang, Eide, Chen and Regehr, "Swarm Testing", ISSTA
// 2012. proptests/mutants/sequential compares how soon both find planted pairs. Belongs to a Draft.

#pragma once

#include <array>
#include <cstdint>

#include "proptests/generators/options.h"
#include "proptests/generators/source.h"

namespace twingrad::generators {

// A choice that a Program may narrow to a few of its outcomes.
enum class Choice : uint8_t {
  kOp,
  kUnary,
  kBinary,
  kCombination,
  kRearrangement,
  kFold,
  kView,
  kWrite,
  kAnyOp,
  kHookKind,
  kHookAction,
  kHookTarget,
  kCustomAction,
  kError,
  kContent,
  kFarOut,
  kRank,
  kSize,
};
inline constexpr int kNumChoices = static_cast<int>(Choice::kSize) + 1;

class Swarm {
 public:
  // The fixed weights: every feature as often as its part says, every choice among all outcomes.
  Swarm() = default;
  // Takes away from `options` the features that this Program goes without.
  static Swarm Draw(Source& source, GeneratorOptions* options);

  bool narrows() const { return narrows_; }
  // How often the part of a feature is drawn, whose fixed weight is `fixed`.
  int Weight(Feature feature, int fixed) const { return narrows_ ? WeightOf(feature) : fixed; }
  // The same for what a Program has once or not at all, in percent.
  int Percent(Feature feature, int fixed) const;
  // A number below n: an outcome of the choice.
  uint64_t Below(Choice choice, uint64_t n, Source& source);
  // How many of a hundred picks of a value take the latest one that suits.
  int latest() const { return latest_; }
  // ... take one of those that share memory with another value, where some suit.
  int aliases() const { return aliases_; }

 private:
  int WeightOf(Feature feature) const { return weights_[static_cast<size_t>(feature)]; }

  // The outcomes that a choice is narrowed to; none: all of them.
  struct Favoured {
    bool drawn = false;
    uint8_t count = 0;
    std::array<uint16_t, 3> outcomes = {};
  };

  bool narrows_ = false;
  int latest_ = 50;
  int aliases_ = 0;
  std::array<uint8_t, kNumFeatures> weights_ = {};
  std::array<Favoured, kNumChoices> favoured_;
};

}  // namespace twingrad::generators
