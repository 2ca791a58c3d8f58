#include "proptests/shrink/arbitrary.h"

#include <sstream>

#include "gtest/gtest.h"

namespace twingrad::shrink {
namespace {

using twingrad::program::Program;

TEST(Arbitrary, ShrinksByTheSameCandidates) {
  const Program program = generators::Generate(9);
  auto shrinks = ToShrinkable(program).shrinks();
  Candidates candidates(program);
  for (int i = 0; i < 20; ++i) {
    const auto expected = candidates.Next();
    const auto actual = shrinks.next();
    ASSERT_EQ(static_cast<bool>(actual), expected.has_value());
    if (!expected) break;
    EXPECT_TRUE(actual->value() == *expected);
  }
}

TEST(Arbitrary, GeneratesTheSameProgramFromTheSameSeed) {
  const auto generator = ArbitraryProgram();
  const rc::Random random(42);
  EXPECT_TRUE(generator(random, 10).value() == generator(random, 10).value());
}

TEST(Arbitrary, CounterExamplesArePrintedAsText) {
  std::ostringstream os;
  showValue(generators::Generate(9), os);
  EXPECT_EQ(os.str().find("\ntwingrad 1\n"), 0u);
}

}  // namespace
}  // namespace twingrad::shrink
