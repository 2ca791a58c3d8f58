#include "proptests/shrink/candidates.h"

#include <cstdint>

#include "autograd/program/analyze.h"
#include "autograd/program/print.h"
#include "gtest/gtest.h"
#include "proptests/generators/generate.h"

namespace twingrad::shrink {
namespace {

using twingrad::program::Program;

// Law: every candidate is valid and smaller.
TEST(Candidates, AreValidAndSmaller) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Program program = generators::Generate(seed);
    const Size size = SizeOf(program);
    Candidates candidates(program);
    int count = 0;
    while (const auto candidate = candidates.Next()) {
      ASSERT_LT(SizeOf(*candidate), size);
      const auto analysis = twingrad::program::Analyze(*candidate);
      ASSERT_TRUE(analysis.ok()) << analysis.status() << "\nfrom\n"
                                 << twingrad::program::Print(program);
      ++count;
    }
    EXPECT_GT(count, 5) << twingrad::program::Print(program);
  }
}

TEST(Candidates, ACopyGoesOnFromTheSamePlace) {
  Candidates a(generators::Generate(3));
  a.Next();
  Candidates b = a;
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(a.Next() == b.Next());
}

TEST(Candidates, OfTheSmallestProgramThereAreNone) {
  twingrad::program::Program program;
  Candidates candidates(program);
  EXPECT_FALSE(candidates.Next().has_value());
}

}  // namespace
}  // namespace twingrad::shrink
