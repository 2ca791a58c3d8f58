#include "proptests/oracles/features.h"

#include "proptests/oracles/oracle_test_support.h"

namespace twingrad::oracles {
namespace {

bool Has(const std::string& text, Feature feature) {
  const auto program = twingrad::program::Parse("twingrad 1\n" + text);
  EXPECT_TRUE(program.ok()) << program.status();
  return FeaturesOf(*program)[static_cast<size_t>(feature)];
}

TEST(Features, AreFoundInStatements) {
  EXPECT_TRUE(Has("%x = leaf type=f64[2,0]\n", Feature::kEmptyTensor));
  EXPECT_TRUE(Has("%x = leaf type=f32[]\n", Feature::kScalarLeaf));
  EXPECT_TRUE(Has("%x = leaf type=f32[]\n", Feature::kF32));
  EXPECT_TRUE(Has("%x = leaf type=f64[] device=dev:1\n", Feature::kSeveralDevices));
  EXPECT_TRUE(Has("begin kind=no_grad\nend\n", Feature::kNoGrad));
  EXPECT_FALSE(Has("%x = leaf type=f64[]\n", Feature::kView));
}

TEST(Features, EmptyIsAlsoAViewOfNothing) {
  const std::string leaf = "%x = leaf type=f64[2]\n";
  EXPECT_TRUE(Has(leaf + "%y = slice %x dim=0 stop=0\n", Feature::kEmptyTensor));
  EXPECT_TRUE(Has(leaf + "%y = slice %x dim=0 start=2\n", Feature::kEmptyTensor));
  EXPECT_TRUE(Has("%x = leaf type=f64[1]\n%y = expand %x shape=0\n", Feature::kEmptyTensor));
  EXPECT_FALSE(Has(leaf + "%y = slice %x dim=0 start=1\n", Feature::kEmptyTensor));
}

TEST(Features, OfCalls) {
  const std::string twice =
      "%x = leaf type=f64[] grad=1\n%y = mul %x %x\n%g = grad %y inputs=%x create_graph=1\n"
      "backward %g\n";
  EXPECT_TRUE(Has(twice, Feature::kGradOfGrad));
  EXPECT_TRUE(Has(twice, Feature::kSeveralCalls));
  EXPECT_TRUE(Has(twice, Feature::kInputs));
  EXPECT_FALSE(Has(twice, Feature::kSeveralRoots));
}

}  // namespace
}  // namespace twingrad::oracles
