#include "proptests/generators/swarm.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "proptests/generators/generate.h"

namespace twingrad::generators {
namespace {

constexpr int kDraws = 2000;

// Draws until a Swarm narrows, from the seed on.
Swarm Narrowing(uint64_t seed, GeneratorOptions* options) {
  while (true) {
    GeneratorOptions mine;
    Source source = Source::FromSeed(seed++);
    const Swarm swarm = Swarm::Draw(source, &mine);
    if (!swarm.narrows()) continue;
    *options = mine;
    return swarm;
  }
}

TEST(Swarm, MostProgramsDrawFeaturesOfTheirOwn) {
  int narrow = 0;
  std::vector<int> with(kNumFeatures), heavy(kNumFeatures);
  for (uint64_t seed = 0; seed < kDraws; ++seed) {
    GeneratorOptions options;
    Source source = Source::FromSeed(seed);
    const Swarm swarm = Swarm::Draw(source, &options);
    if (!swarm.narrows()) {
      EXPECT_TRUE(options.features.all());
      continue;
    }
    ++narrow;
    for (int i = 0; i < kNumFeatures; ++i) {
      const auto feature = static_cast<Feature>(i);
      const int weight = swarm.Weight(feature, 1);
      EXPECT_EQ(weight > 0, options.Has(feature)) << FeatureWord(feature);
      with[i] += weight > 0 ? 1 : 0;
      heavy[i] += swarm.Percent(feature, 5) > 5 ? 1 : 0;
    }
  }
  EXPECT_GT(narrow, kDraws / 2);
  EXPECT_LT(narrow, kDraws * 9 / 10);
  for (int i = 0; i < kNumFeatures; ++i) {
    // Each is there, is missing and is heavy in many Programs.
    EXPECT_GT(with[i], narrow / 20) << FeatureWord(static_cast<Feature>(i));
    EXPECT_LT(with[i], narrow * 98 / 100) << FeatureWord(static_cast<Feature>(i));
    EXPECT_GT(heavy[i], narrow / 60) << FeatureWord(static_cast<Feature>(i));
  }
}

TEST(Swarm, FeaturesThatAreNotAllowedStayAway) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    GeneratorOptions options;
    ASSERT_TRUE(SetFeatures("aliases,view,chain", &options).ok());
    const Features allowed = options.features;
    Source source = Source::FromSeed(seed);
    Swarm::Draw(source, &options);
    EXPECT_TRUE((options.features & ~allowed).none()) << "seed " << seed;
  }
}

// A choice that is narrowed gives a few outcomes most of the time, and the others now and then.
TEST(Swarm, ChoicesNarrow) {
  int narrowed = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    GeneratorOptions options;
    Swarm swarm = Narrowing(seed * 100, &options);
    Source source = Source::FromSeed(seed);
    std::vector<int> counts(50);
    for (int i = 0; i < 500; ++i) ++counts[swarm.Below(Choice::kAnyOp, 50, source)];
    std::sort(counts.rbegin(), counts.rend());
    const int three = counts[0] + counts[1] + counts[2];
    narrowed += three > 400 ? 1 : 0;
    EXPECT_LT(three, 500) << "seed " << seed;
  }
  EXPECT_GT(narrowed, 80);
  EXPECT_LT(narrowed, 190);
}

// An outcome that was drawn among many fits where there are fewer.
TEST(Swarm, OutcomesStayInTheirRange) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    GeneratorOptions options;
    Swarm swarm = Narrowing(seed * 100, &options);
    Source source = Source::FromSeed(seed);
    swarm.Below(Choice::kUnary, 40, source);
    for (int i = 0; i < 50; ++i) EXPECT_LT(swarm.Below(Choice::kUnary, 3, source), 3u);
  }
}

TEST(Swarm, FixedWeightsNarrowNothing) {
  GeneratorOptions options;
  options.weights = Weights::kFixed;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Source source = Source::FromSeed(seed);
    EXPECT_FALSE(Swarm::Draw(source, &options).narrows());
    Features drawn;
    Generate(seed, options, &drawn);
    EXPECT_FALSE(drawn[static_cast<size_t>(Feature::kAliases)]);  // their weight is 0
  }
  EXPECT_TRUE(options.features.all());
}

}  // namespace
}  // namespace twingrad::generators
