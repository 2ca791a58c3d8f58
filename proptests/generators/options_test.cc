#include "proptests/generators/options.h"

#include "gtest/gtest.h"

namespace twingrad::generators {
namespace {

using twingrad::program::Opcode;

TEST(Options, NamedFeaturesStandAlone) {
  GeneratorOptions options;
  ASSERT_TRUE(SetFeatures("view,in_place", &options).ok());
  EXPECT_TRUE(options.Has(Feature::kView));
  EXPECT_TRUE(options.Has(Feature::kInPlace));
  EXPECT_EQ(options.features.count(), 2u);
}

TEST(Options, MinusRemoves) {
  GeneratorOptions options;
  ASSERT_TRUE(SetFeatures("-hook,-error", &options).ok());
  EXPECT_FALSE(options.Has(Feature::kHook));
  EXPECT_TRUE(options.Has(Feature::kView));
  ASSERT_TRUE(SetOps("-pow", &options).ok());
  EXPECT_FALSE(options.Has(Opcode::kPow));
  EXPECT_TRUE(options.Has(Opcode::kMul));
}

TEST(Options, RefusalsNameTheKnownWords) {
  GeneratorOptions options;
  const absl::Status unknown = SetFeatures("views", &options);
  EXPECT_NE(unknown.message().find("'views'"), std::string::npos);
  EXPECT_NE(unknown.message().find("in_place"), std::string::npos);
  EXPECT_FALSE(SetFeatures("view,-hook", &options).ok());
  EXPECT_FALSE(SetOps("multiply", &options).ok());
  EXPECT_EQ(SetWeights("even", &options).message(),
            "[generator] unknown weights 'even'; known ones: swarm fixed");
}

TEST(Options, WeightsHaveWords) {
  GeneratorOptions options;
  ASSERT_TRUE(SetWeights("fixed", &options).ok());
  EXPECT_EQ(options.weights, Weights::kFixed);
  ASSERT_TRUE(SetWeights("swarm", &options).ok());
  EXPECT_EQ(options.weights, Weights::kSwarm);
}

TEST(Options, EveryFeatureHasAWord) {
  for (int i = 0; i < kNumFeatures; ++i) {
    GeneratorOptions options;
    EXPECT_TRUE(SetFeatures(FeatureWord(static_cast<Feature>(i)), &options).ok());
    EXPECT_TRUE(options.Has(static_cast<Feature>(i)));
  }
}

}  // namespace
}  // namespace twingrad::generators
