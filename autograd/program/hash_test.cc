#include "autograd/program/hash.h"

#include <gtest/gtest.h>

#include "autograd/program/parse.h"

namespace twingrad::program {
namespace {

TEST(Hash, IsFnv1a) {
  // The published test vectors.
  EXPECT_EQ(Fnv1a(""), 0xcbf29ce484222325);
  EXPECT_EQ(Fnv1a("a"), 0xaf63dc4c8601ec8c);
  EXPECT_EQ(Fnv1a("foobar"), 0x85944171f73967e8);
}

TEST(Hash, IsOfTheCanonicalText) {
  const auto program = Parse("twingrad 1\n# a comment\n%x = leaf grad=1 type=f64[]\n");
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(Hash(*program), Fnv1a("twingrad 1\n%x = leaf type=f64[] grad=1\n"));
}

}  // namespace
}  // namespace twingrad::program
