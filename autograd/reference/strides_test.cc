#include "autograd/reference/strides.h"

#include <string>

#include "autograd/program/parse.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

// The strides of the last statement's result, a view of a tensor with these sizes and strides.
Shape Of(const std::string& view, const Shape& from, const Shape& strides, const Shape& to) {
  std::string type = "f64[";
  for (size_t d = 0; d < from.size(); ++d) type += (d == 0 ? "" : ",") + std::to_string(from[d]);
  const auto program =
      program::Parse("twingrad 1\n%x = leaf type=" + type + "]\n%v = " + view + "\n");
  EXPECT_TRUE(program.ok()) << program.status();
  const Layout layout = ViewLayout(program->statements.back(), from, strides);
  EXPECT_EQ(layout.sizes, to) << view;
  return layout.strides;
}

TEST(StridesTest, OfEachView) {
  EXPECT_EQ(Of("transpose %x dims=0,1", {2, 3}, {3, 1}, {3, 2}), Shape({1, 3}));
  EXPECT_EQ(Of("permute %x dims=2,0,1", {2, 3, 4}, {12, 4, 1}, {4, 2, 3}), Shape({1, 12, 4}));
  EXPECT_EQ(Of("select %x dim=0 index=1", {2, 3}, {3, 1}, {3}), Shape({1}));
  EXPECT_EQ(Of("slice %x dim=1 step=2", {2, 3}, {3, 1}, {2, 2}), Shape({3, 2}));
  EXPECT_EQ(Of("squeeze %x", {1, 3, 1}, {3, 1, 1}, {3}), Shape({1}));
  EXPECT_EQ(Of("unsqueeze %x dim=0", {2, 3}, {3, 1}, {1, 2, 3}), Shape({6, 3, 1}));
  EXPECT_EQ(Of("unsqueeze %x dim=2", {2, 3}, {3, 1}, {2, 3, 1}), Shape({3, 1, 1}));
  EXPECT_EQ(Of("expand %x shape=4,1,3", {1, 3}, {3, 1}, {4, 1, 3}), Shape({0, 3, 1}));
  EXPECT_EQ(Of("view %x shape=3,2", {2, 3}, {3, 1}, {3, 2}), Shape({2, 1}));
  EXPECT_EQ(Of("view %x shape=scalar", {1}, {1}, {}), Shape());
}

// Dimensions of size 1 keep what they were made with.
TEST(StridesTest, OfSizeOne) {
  EXPECT_EQ(Of("slice %x dim=0 step=2", {1}, {1}, {1}), Shape({2}));
  EXPECT_EQ(Of("view %x shape=1,1", {1}, {2}, {1, 1}), Shape({2, 2}));
}

TEST(StridesTest, Stretches) {
  Arena arena;
  const Stretch row = StretchOf(StridedMap(arena, {3}, {1}, 2));
  EXPECT_EQ(row.begin, 2);
  EXPECT_EQ(row.end, 5);
  EXPECT_TRUE(row.filled);
  EXPECT_TRUE(StretchOf(StridedMap(arena, {2, 3}, {1, 2}, 0)).filled);
  EXPECT_FALSE(StretchOf(StridedMap(arena, {2}, {2}, 0)).filled);
  EXPECT_FALSE(StretchOf(StridedMap(arena, {2}, {0}, 0)).filled);
}

TEST(StridesTest, Overlaps) {
  Arena arena;
  const IndexMap row = StridedMap(arena, {2}, {1}, 0), next = StridedMap(arena, {2}, {1}, 1);
  EXPECT_FALSE(OverlapPartly(row, {1}, row, {1}));
  EXPECT_TRUE(OverlapPartly(row, {1}, next, {1}));
  EXPECT_TRUE(OverlapPartly(row, {1}, row, {2}));
  // What fills no stretch is not seen.
  const IndexMap odd = StridedMap(arena, {2}, {2}, 0), shifted = StridedMap(arena, {2}, {2}, 2);
  EXPECT_FALSE(OverlapPartly(odd, {2}, shifted, {2}));
  EXPECT_TRUE(ReadsWhatItWrites(odd, shifted));
  EXPECT_FALSE(ReadsWhatItWrites(odd, odd));
  EXPECT_FALSE(ReadsWhatItWrites(odd, StridedMap(arena, {2}, {2}, 1)));
}

}  // namespace
}  // namespace twingrad::reference
