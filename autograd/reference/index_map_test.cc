#include "autograd/reference/index_map.h"

#include <utility>
#include <vector>

#include "autograd/program/builder.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

using program::Attribute;
using program::Key;
using program::Opcode;
using program::Statement;

std::vector<int32_t> List(const IndexMap& map) {
  std::vector<int32_t> list;
  for (int32_t i = 0; i < map.size; ++i) list.push_back(map[i]);
  return list;
}

Statement Make(Opcode op, std::vector<Attribute> attributes) {
  Statement statement;
  statement.op = op;
  statement.attributes = std::move(attributes);
  return statement;
}

using Ints = std::vector<int64_t>;
using Places = std::vector<int32_t>;

TEST(IndexMapTest, Broadcast) {
  Arena arena;
  EXPECT_EQ(BroadcastShape({2, 1}, {3}), Shape({2, 3}));
  EXPECT_EQ(BroadcastShape({0}, {1}), Shape({0}));
  EXPECT_EQ(List(BroadcastMap(arena, {2, 1}, {2, 3})), Places({0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(List(BroadcastMap(arena, {3}, {2, 3})), Places({0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(List(BroadcastMap(arena, {}, {2})), Places({0, 0}));
  EXPECT_TRUE(BroadcastMap(arena, {2, 3}, {1, 2, 3}).identity());
  EXPECT_EQ(BroadcastMap(arena, {1}, {0}).size, 0);
}

TEST(IndexMapTest, Views) {
  Arena arena;
  const auto places = [&](const Statement& view, const Shape& from, const Shape& to) {
    const ShapedMap map = ViewMap(arena, view, from);
    EXPECT_EQ(map.shape, to);
    return List(map.map);
  };
  EXPECT_EQ(places(Make(Opcode::kTranspose, {{Key::kDims, Ints{0, 1}}}), {2, 3}, {3, 2}),
            Places({0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(places(Make(Opcode::kPermute, {{Key::kDims, Ints{1, 2, 0}}}), {2, 1, 3}, {1, 3, 2}),
            Places({0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(places(Make(Opcode::kSelect, {{Key::kDim, int64_t{1}}, {Key::kIndex, int64_t{2}}}),
                   {2, 3}, {2}),
            Places({2, 5}));
  EXPECT_EQ(places(Make(Opcode::kSlice, {{Key::kDim, int64_t{0}},
                                         {Key::kStart, int64_t{1}},
                                         {Key::kStop, int64_t{9}},
                                         {Key::kStep, int64_t{2}}}),
                   {5}, {2}),
            Places({1, 3}));
  EXPECT_EQ(
      places(Make(Opcode::kSlice, {{Key::kDim, int64_t{0}}, {Key::kStart, int64_t{7}}}), {5}, {0}),
      Places());
  EXPECT_EQ(places(Make(Opcode::kExpand, {{Key::kShape, Ints{2, 2}}}), {2, 1}, {2, 2}),
            Places({0, 0, 1, 1}));
  EXPECT_EQ(places(Make(Opcode::kSqueeze, {}), {1, 2, 1}, {2}), Places({0, 1}));
  EXPECT_EQ(places(Make(Opcode::kSqueeze, {{Key::kDims, Ints{0, 1}}}), {1, 2, 1}, {2, 1}),
            Places({0, 1}));
  EXPECT_EQ(places(Make(Opcode::kUnsqueeze, {{Key::kDim, int64_t{1}}}), {2}, {2, 1}),
            Places({0, 1}));
}

TEST(IndexMapTest, Reductions) {
  Arena arena;
  const ReductionMap rows = ReduceMap(arena, Make(Opcode::kSum, {{Key::kDims, Ints{1}}}), {2, 3});
  EXPECT_EQ(rows.shape, Shape({2}));
  EXPECT_EQ(rows.count, 3);
  EXPECT_EQ(List(rows.map), Places({0, 0, 0, 1, 1, 1}));
  const ReductionMap all = ReduceMap(arena, Make(Opcode::kSum, {{Key::kKeepdim, true}}), {2, 3});
  EXPECT_EQ(all.shape, Shape({1, 1}));
  EXPECT_EQ(all.count, 6);
  const ReductionMap nothing =
      ReduceMap(arena, Make(Opcode::kMean, {{Key::kDims, Ints{0}}}), {0, 2});
  EXPECT_EQ(nothing.shape, Shape({2}));
  EXPECT_EQ(nothing.count, 0);
}

// A matrix product by its maps equals the textbook's.
TEST(IndexMapTest, MatrixProducts) {
  Arena arena;
  const MatmulMaps maps = ProductMaps(arena, {2, 3}, {4, 3, 2});
  EXPECT_EQ(maps.shape, Shape({4, 2, 2}));
  ASSERT_EQ(maps.left.size, 4 * 2 * 2 * 3);
  int32_t at = 0;
  for (int32_t batch = 0; batch < 4; ++batch) {
    for (int32_t row = 0; row < 2; ++row) {
      for (int32_t column = 0; column < 2; ++column) {
        for (int32_t k = 0; k < 3; ++k, ++at) {
          EXPECT_EQ(maps.left[at], row * 3 + k);
          EXPECT_EQ(maps.right[at], batch * 6 + k * 2 + column);
          EXPECT_EQ(maps.result[at], batch * 4 + row * 2 + column);
        }
      }
    }
  }
  EXPECT_EQ(ProductMaps(arena, {3}, {3}).shape, Shape({}));
  EXPECT_EQ(ProductMaps(arena, {3}, {2, 3, 4}).shape, Shape({2, 4}));
  EXPECT_EQ(ProductMaps(arena, {5, 2, 3}, {3}).shape, Shape({5, 2}));
  EXPECT_EQ(ProductMaps(arena, {2, 0}, {0, 3}).left.size, 0);
}

TEST(IndexMapTest, OverlapAndOrder) {
  Arena arena;
  EXPECT_TRUE(Overlaps(arena, BroadcastMap(arena, {1}, {2}), 1));
  EXPECT_FALSE(Overlaps(arena, StridedMap(arena, {2, 2}, {1, 2}, 0), 4));
  EXPECT_TRUE(IsConsecutive(StridedMap(arena, {2, 2}, {2, 1}, 3)));
  EXPECT_FALSE(IsConsecutive(StridedMap(arena, {2, 2}, {1, 2}, 0)));
  EXPECT_TRUE(IsConsecutive(StridedMap(arena, {1}, {7}, 3)));
  const IndexMap outer = StridedMap(arena, {3}, {2}, 1);
  EXPECT_EQ(List(Compose(arena, outer, StridedMap(arena, {2}, {1}, 1))), Places({3, 5}));
}

}  // namespace
}  // namespace twingrad::reference
