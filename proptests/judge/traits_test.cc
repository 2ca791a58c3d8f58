#include "proptests/judge/traits.h"

#include <string>

#include "autograd/program/parse.h"
#include "gtest/gtest.h"

namespace twingrad::judge {
namespace {

bool Has(const std::string& text, Trait trait) {
  const auto program = twingrad::program::Parse("twingrad 1\n" + text);
  EXPECT_TRUE(program.ok()) << program.status();
  return TraitsOf(*program)[static_cast<size_t>(trait)];
}

TEST(Traits, AreFoundInStatements) {
  EXPECT_TRUE(Has("%x = leaf type=f64[2,0]\n", Trait::kEmptyTensor));
  EXPECT_TRUE(Has("%x = leaf type=f32[]\n", Trait::kScalarLeaf));
  EXPECT_TRUE(Has("%x = leaf type=f32[]\n", Trait::kF32));
  EXPECT_TRUE(Has("%x = leaf type=f16[]\n", Trait::kF16));
  EXPECT_TRUE(Has("%x = leaf type=bf16[]\n", Trait::kBF16));
  EXPECT_TRUE(Has("%x = leaf type=i32[]\n", Trait::kI32));
  EXPECT_TRUE(Has("%x = leaf type=i32[]\n", Trait::kInteger));
  EXPECT_TRUE(Has("%x = leaf type=f64[] device=dev:1\n", Trait::kSeveralDevices));
  EXPECT_TRUE(Has("begin kind=no_grad\nend\n", Trait::kNoGrad));
  EXPECT_TRUE(Has("%x = leaf type=f64[]\nneg_ %x\n", Trait::kInPlace));
  EXPECT_TRUE(Has("%x = leaf type=f64[]\ncustom_ %x do=pass\n", Trait::kInPlace));
  EXPECT_FALSE(Has("%x = leaf type=f64[]\n%y = custom %x do=pass\n", Trait::kInPlace));
  EXPECT_FALSE(Has("%x = leaf type=f64[]\n", Trait::kView));
}

TEST(Traits, EmptyIsAlsoAViewOfNothing) {
  const std::string leaf = "%x = leaf type=f64[2]\n";
  EXPECT_TRUE(Has(leaf + "%y = slice %x dim=0 stop=0\n", Trait::kEmptyTensor));
  EXPECT_TRUE(Has(leaf + "%y = slice %x dim=0 start=2\n", Trait::kEmptyTensor));
  EXPECT_TRUE(Has("%x = leaf type=f64[1]\n%y = expand %x shape=0\n", Trait::kEmptyTensor));
  EXPECT_FALSE(Has(leaf + "%y = slice %x dim=0 start=1\n", Trait::kEmptyTensor));
}

TEST(Traits, OfCalls) {
  const std::string twice =
      "%x = leaf type=f64[] grad=1\n%y = mul %x %x\n%g = grad %y inputs=%x create_graph=1\n"
      "backward %g\n";
  EXPECT_TRUE(Has(twice, Trait::kGradOfGrad));
  EXPECT_TRUE(Has(twice, Trait::kSeveralCalls));
  EXPECT_TRUE(Has(twice, Trait::kInputs));
  EXPECT_FALSE(Has(twice, Trait::kSeveralRoots));
}

}  // namespace
}  // namespace twingrad::judge
