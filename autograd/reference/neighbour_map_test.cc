#include "autograd/reference/neighbour_map.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "autograd/reference/test_program.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

using Places = std::vector<int32_t>;
using Doubles = std::vector<double>;

struct TermList {
  Shape shape;
  Places from, to;
  Doubles weights, errors;
};
TermList TermListOf(const std::string& op, const std::string& type) {
  const program::Program program = ParseOrThrow("%x = leaf type=" + type + "\n%y = " + op + "\n");
  Arena arena;
  const program::TensorType from =
      std::get<program::TensorType>(*program.statements[0].Find(program::Key::kType));
  const Neighbours terms = NeighboursOf(arena, program.statements[1], from.shape, from.dtype);
  TermList listed = {*terms.shape, {}, {}, {}, {}};
  for (int32_t k = 0; k < terms.from.size; ++k) {
    listed.from.push_back(terms.from[k]);
    listed.to.push_back(terms.to[k]);
    listed.weights.push_back(terms.weights->v[k]);
    listed.errors.push_back(terms.weights->Error(k));
  }
  return listed;
}

TEST(NeighbourMap, Nearest) {
  const TermList terms = TermListOf("upsample_nearest1d %x shape=3", "f64[2,2]");
  EXPECT_EQ(terms.shape, (Shape{2, 3}));
  EXPECT_EQ(terms.from, (Places{0, 0, 1, 2, 2, 3}));
  EXPECT_EQ(terms.to, (Places{0, 1, 2, 3, 4, 5}));
}

// Where the quotient of the sizes is a power of 2 nothing rounds.
TEST(NeighbourMap, LinearWeightsThatAreExact) {
  const TermList terms = TermListOf("upsample_linear1d %x shape=4", "f32[1,2]");
  EXPECT_EQ(terms.from, (Places{0, 1, 0, 1, 0, 1, 1, 1}));
  EXPECT_EQ(terms.to, (Places{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(terms.weights, (Doubles{1, 0, 0.75, 0.25, 0.25, 0.75, 0.75, 0.25}));
  EXPECT_EQ(terms.errors, Doubles(8, 0));
}

// A run that rounds 1 / 3 may take entry 2 for one a little before it.
TEST(NeighbourMap, TheEntryBeforeMayHaveAPart) {
  const TermList terms = TermListOf("upsample_linear1d %x shape=4 align_corners=1", "f64[1,7]");
  EXPECT_EQ(terms.errors, Doubles(8, 0));  // steps of 2
  const TermList rounded = TermListOf("upsample_linear1d %x shape=7 align_corners=1", "f64[1,3]");
  ASSERT_EQ(rounded.from.size(), 16u);
  EXPECT_EQ(rounded.from[6], 1);
  EXPECT_EQ(rounded.from[8], 0);
  EXPECT_EQ(rounded.weights[8], 0);
  EXPECT_GT(rounded.errors[8], 0);
}

TEST(NeighbourMap, PlanesAreProducts) {
  const TermList terms = TermListOf("upsample_bilinear2d %x shape=1,1", "f64[1,2,2]");
  EXPECT_EQ(terms.from, (Places{0, 1, 2, 3}));
  EXPECT_EQ(terms.weights, Doubles(4, 0.25));
}

TEST(NeighbourMap, Cubic) {
  const TermList terms =
      TermListOf("upsample_bicubic2d %x shape=1,5 align_corners=1", "f64[1,1,3]");
  // Along the first dimension only one of four has a weight.
  EXPECT_EQ(terms.weights[4 * 4 + 4], -3.0 / 32);
  EXPECT_EQ(terms.weights[4 * 4 + 5], 19.0 / 32);
}

}  // namespace
}  // namespace twingrad::reference
