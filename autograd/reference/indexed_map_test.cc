#include "autograd/reference/indexed_map.h"

#include <algorithm>
#include <vector>

#include "autograd/reference/place_map.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

using Places = std::vector<int32_t>;

class IndexedMapTest : public testing::Test {
 protected:
  Array* Integers(const Shape& shape, const std::vector<int64_t>& elements) {
    Array* array = NewArray(arena_, DType::kI64, arena_.Keep(shape), Count(shape));
    std::copy(elements.begin(), elements.end(), array->i);
    return array;
  }
  Array* Unknown(Array* array) {
    array->e = arena_.Allocate<double>(static_cast<size_t>(array->size));
    std::fill(array->e, array->e + array->size, kUnknown);
    return array;
  }
  ShapedMap Of(const Shape& of, const std::vector<const Array*>& indices) {
    return IndexedMap(arena_, of, indices);
  }
  static Places List(const IndexMap& map) {
    Places list;
    for (int32_t i = 0; i < map.size; ++i) list.push_back(map[i]);
    return list;
  }

  Arena arena_;
};

TEST_F(IndexedMapTest, IndicesAreBroadcastAndReplaceDimensions) {
  const ShapedMap rows = Of({3, 2}, {Integers({2}, {2, 0})});
  EXPECT_EQ(rows.shape, (Shape{2, 2}));
  EXPECT_EQ(List(rows.map), (Places{4, 5, 0, 1}));
  const ShapedMap both = Of({2, 3}, {Integers({2, 1}, {1, 0}), Integers({2}, {2, 2})});
  EXPECT_EQ(both.shape, (Shape{2, 2}));
  EXPECT_EQ(List(both.map), (Places{5, 5, 2, 2}));
  EXPECT_EQ(Of({3, 2}, {Integers({}, {1})}).shape, (Shape{2}));
  EXPECT_EQ(List(Of({0, 2}, {Integers({0}, {})}).map), Places{});
}

TEST_F(IndexedMapTest, WhatIsOutOfRangeOrUnknownThrows) {
  EXPECT_THROW(Of({3}, {Integers({1}, {3})}), IndexOutOfRange);
  EXPECT_THROW(Of({3, 0}, {Integers({1}, {-1})}), IndexOutOfRange);
  EXPECT_THROW(Of({3}, {Unknown(Integers({1}, {0}))}), UnknownInteger);
}

TEST_F(IndexedMapTest, ColumnsAreIndicesOfTheFirstDimensions) {
  const ShapedMap rows = ColumnsMap(arena_, {3, 2}, *Integers({1, 2}, {2, 0}));
  EXPECT_EQ(rows.shape, (Shape{2, 2}));
  EXPECT_EQ(List(rows.map), (Places{4, 5, 0, 1}));
  const Array* both = Integers({2, 3}, {1, 0, 1, 2, 1, 2});
  EXPECT_EQ(List(ColumnsMap(arena_, {2, 3}, *both).map), (Places{5, 1, 5}));
  EXPECT_EQ(ColumnsMap(arena_, {0, 2}, *Integers({1, 0}, {})).shape, (Shape{0, 2}));
  EXPECT_THROW(ColumnsMap(arena_, {3}, *Integers({1, 1}, {3})), IndexOutOfRange);
  EXPECT_THROW(ColumnsMap(arena_, {3}, *Unknown(Integers({1, 1}, {0}))), UnknownInteger);
  const Array* different = DifferentColumns(arena_, *both);
  EXPECT_EQ(*different->shape, (Shape{2, 2}));
  EXPECT_EQ(std::vector<int64_t>(different->i, different->i + 4),
            (std::vector<int64_t>{0, 1, 1, 2}));
  EXPECT_THROW(DifferentColumns(arena_, *Unknown(Integers({1, 1}, {0}))), UnknownInteger);
}

TEST_F(IndexedMapTest, MasksNameWhatIsTrue) {
  const ShapedMap rows = MaskedMap(arena_, {3, 2}, *Integers({3}, {1, 0, 1}), 2);
  EXPECT_EQ(rows.shape, (Shape{2, 2}));
  EXPECT_EQ(List(rows.map), (Places{0, 1, 4, 5}));
  EXPECT_EQ(MaskedMap(arena_, {2}, *Integers({2}, {0, 0}), 0).shape, (Shape{0}));
  EXPECT_THROW(MaskedMap(arena_, {2}, *Integers({2}, {0, 1}), 2), CountDiffers);
  EXPECT_THROW(MaskedMap(arena_, {2}, *Unknown(Integers({2}, {0, 1})), 1), UnknownInteger);
}

TEST_F(IndexedMapTest, ElementsMeet) {
  const std::vector<Meeting> meetings = MeetingsOf(ListedMap(arena_, {2, 0, 2}), 3);
  ASSERT_EQ(meetings.size(), 2u);
  EXPECT_EQ(meetings[0].place, 2);
  EXPECT_EQ(meetings[0].elements, (Places{0, 2}));
  EXPECT_EQ(meetings[1].place, 0);
  EXPECT_EQ(meetings[1].elements, (Places{1}));
}

}  // namespace
}  // namespace twingrad::reference
