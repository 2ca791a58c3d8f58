#include "proptests/generators/swarm.h"

#include <algorithm>

namespace twingrad::generators {
namespace {

constexpr int kNarrowing = 70;  // percent of all Programs
constexpr int kHeavy = 6;       // times a light one

// How many percent of the Programs that narrow have the feature.
int Inclusion(Feature feature) {
  switch (feature) {
    case Feature::kOrder:
    case Feature::kUnusedInput:
      return 12;
    case Feature::kView:
    case Feature::kInPlace:
    case Feature::kHook:
    case Feature::kCustom:
    case Feature::kAliases:
    case Feature::kNoGrad:
    case Feature::kDevices:
      return 60;
    case Feature::kAnyOp:
    case Feature::kCalls:
    case Feature::kSeveralRoots:
    case Feature::kNumbers:
      return 80;
    case Feature::kGradOfGrad:
      return 95;
    default:
      return 35;
  }
}

// Parts that hold much of what is rare elsewhere are drawn more often.
uint8_t LightWeight(Feature feature) {
  switch (feature) {
    case Feature::kCustom:
      return 4;
    case Feature::kAliases:
      return 7;
    case Feature::kAnyOp:
      return 9;
    case Feature::kHook:
      return 3;
    case Feature::kSavedHooks:
      return 2;
    default:
      return 1;
  }
}

}  // namespace

Swarm Swarm::Draw(Source& source, GeneratorOptions* options) {
  Swarm swarm;
  if (options->weights == Weights::kFixed || !source.Chance(kNarrowing)) return swarm;
  swarm.narrows_ = true;
  const Features allowed = options->features;
  for (int i = 0; i < kNumFeatures; ++i) {
    const auto feature = static_cast<size_t>(i);
    if (!allowed[feature]) continue;
    if (!source.Chance(Inclusion(static_cast<Feature>(i)))) {
      options->features.reset(feature);
    } else {
      swarm.weights_[feature] = LightWeight(static_cast<Feature>(i));
      if (source.Chance(30)) swarm.weights_[feature] *= kHeavy;
    }
  }
  if (options->Has(Feature::kAliases)) {
    // It is made of these.
    for (const Feature feature : {Feature::kView, Feature::kInPlace, Feature::kHook}) {
      const auto at = static_cast<size_t>(feature);
      if (!allowed[at] || options->Has(feature)) continue;
      options->features.set(at);
      swarm.weights_[at] = LightWeight(feature);
    }
  }
  swarm.latest_ = source.Pick({50, 20, 80, 50});
  swarm.aliases_ = source.Pick({0, 50, 80, 0});
  return swarm;
}

int Swarm::Percent(Feature feature, int fixed) const {
  if (!narrows_) return fixed;
  const bool heavy = WeightOf(feature) > LightWeight(feature);
  return std::min(fixed * (heavy ? kHeavy : 1), std::max(fixed, 50));
}

uint64_t Swarm::Below(Choice choice, uint64_t n, Source& source) {
  if (!narrows_) return source.Below(n);
  Favoured& favoured = favoured_[static_cast<size_t>(choice)];
  if (!favoured.drawn) {
    favoured.drawn = true;
    favoured.count = static_cast<uint8_t>(source.Pick({0, 1, 2, 3, 0, 2}));
    for (int i = 0; i < favoured.count; ++i) {
      favoured.outcomes[i] = static_cast<uint16_t>(source.Below(n));
    }
  }
  if (favoured.count == 0 || source.Chance(15)) return source.Below(n);
  return std::min<uint64_t>(favoured.outcomes[source.Below(favoured.count)], n - 1);
}

}  // namespace twingrad::generators
