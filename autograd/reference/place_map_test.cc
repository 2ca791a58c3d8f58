#include "autograd/reference/place_map.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

class PlaceMapTest : public testing::Test {
 protected:
  std::vector<int32_t> List(const IndexMap& map) {
    std::vector<int32_t> list;
    for (int32_t i = 0; i < map.size; ++i) list.push_back(map[i]);
    return list;
  }
  // What is certainly picked.
  std::vector<int32_t> List(const Picks& picks) {
    EXPECT_TRUE(picks.certain());
    return List(picks.places);
  }
  Array* Floats(const Shape& shape, const std::vector<double>& elements) {
    Array* array = NewArray(arena_, DType::kF64, &shape, Count(shape));
    std::copy(elements.begin(), elements.end(), array->v);
    return array;
  }
  Array* Integers(const Shape& shape, const std::vector<int64_t>& elements) {
    Array* array = NewArray(arena_, DType::kI64, &shape, Count(shape));
    std::copy(elements.begin(), elements.end(), array->i);
    return array;
  }

  using Places = std::vector<int32_t>;
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Arena arena_;
  std::vector<Tie> ties_;
  const Shape three_ = Shape({3});
  const Shape matrix_ = Shape({2, 3});
};

TEST_F(PlaceMapTest, Parts) {
  EXPECT_EQ(List(PartMap(arena_, {2, 1}, {2, 3}, 1, 2)), (Places{2, 5}));
  EXPECT_EQ(List(PartMap(arena_, {1, 3}, {2, 3}, 0, 0)), (Places{0, 1, 2}));
  EXPECT_EQ(List(PartMap(arena_, {0, 3}, {2, 3}, 0, 2)), Places{});
}

TEST_F(PlaceMapTest, Reversals) {
  const int64_t both[] = {0, 1};
  EXPECT_EQ(List(FlipMap(arena_, {2, 3}, both)), (Places{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(List(FlipMap(arena_, {2, 3}, absl::MakeConstSpan(both, 1))),
            (Places{3, 4, 5, 0, 1, 2}));
  EXPECT_EQ(List(FlipMap(arena_, {0, 3}, both)), Places{});
}

TEST_F(PlaceMapTest, Picks) {
  const Array* index = Integers(three_, {2, 0, 2});
  EXPECT_EQ(List(PickMap(arena_, {3}, {3}, 0, *index, {nullptr, 3})), (Places{2, 0, 2}));
  EXPECT_EQ(List(PickMap(arena_, {3, 2}, {3, 1}, 0, *index, {nullptr, 3})), (Places{4, 0, 4}));
  EXPECT_THROW(PickMap(arena_, {2}, {3}, 0, *index, {nullptr, 3}), IndexOutOfRange);
  EXPECT_THROW(PickMap(arena_, {3}, {1}, 0, *Integers(three_, {-1, 0, 0}), {nullptr, 1}),
               IndexOutOfRange);
  Array* unsure = Integers(three_, {0, 0, 0});
  unsure->e = arena_.Allocate<double>(3);
  std::fill(unsure->e, unsure->e + 3, kUnknown);
  EXPECT_THROW(PickMap(arena_, {3}, {3}, 0, *unsure, {nullptr, 3}), UnknownInteger);
}

TEST_F(PlaceMapTest, RunningSums) {
  const RunningMaps maps = CumsumMaps(arena_, {2, 2}, 0);
  EXPECT_EQ(List(maps.from), (Places{0, 0, 2, 1, 1, 3}));
  EXPECT_EQ(List(maps.to), (Places{0, 2, 2, 1, 3, 3}));
}

TEST_F(PlaceMapTest, OrdersAreStableWithNanAbove) {
  const Shape five({5});
  const Array* a = Floats(five, {2, kNan, 1, 2, -1});
  EXPECT_EQ(List(OrderMap(arena_, *a, 0, false, &ties_)), (Places{4, 2, 0, 3, 1}));
  EXPECT_FALSE(ties_.empty());
  EXPECT_EQ(List(OrderMap(arena_, *a, 0, true, &ties_)), (Places{1, 0, 3, 2, 4}));
  ties_.clear();
  EXPECT_EQ(List(OrderMap(arena_, *Integers(matrix_, {3, 1, 2, 0, 5, 4}), 1, false, &ties_)),
            (Places{1, 2, 0, 3, 5, 4}));
  EXPECT_TRUE(ties_.empty());
}

TEST_F(PlaceMapTest, ExtremesAreTheFirst) {
  const Array* a = Floats(matrix_, {1, 5, 5, 0, kNan, kNan});
  EXPECT_EQ(List(ExtremeMap(arena_, *a, 1, false, &ties_)), (Places{1, 4}));
  EXPECT_FALSE(ties_.empty());
  EXPECT_EQ(List(ExtremeMap(arena_, *a, 1, true, &ties_)), (Places{0, 4}));
  const Picks places = ExtremeMap(arena_, *a, 1, true, &ties_);
  const Array* coordinates = CoordinatesOf(arena_, places, matrix_, 1, &three_);
  EXPECT_EQ(coordinates->i[0], 0);
  EXPECT_EQ(coordinates->i[1], 1);
}

// What rounding may turn round: all of the row may stand there.
TEST_F(PlaceMapTest, OpenOrdersListWhatElseMayBePicked) {
  Array* a = Floats(three_, {1, 2, 2.0000001});
  a->e = arena_.Allocate<double>(3);
  std::fill(a->e, a->e + 3, 1e-6);
  const Picks order = OrderMap(arena_, *a, 0, true, &ties_);
  EXPECT_FALSE(ties_.empty());
  EXPECT_EQ(List(order.places), (Places{2, 1, 0}));
  EXPECT_EQ(List(order.open), (Places{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(List(order.others), (Places{0, 1, 0, 2, 1, 2}));
  const Picks greatest = ExtremeMap(arena_, *a, 0, false, &ties_);
  EXPECT_EQ(List(greatest.places), Places{2});
  EXPECT_EQ(List(greatest.others), (Places{0, 1}));
  EXPECT_EQ(List(ExtremeMap(arena_, *a, 0, true, &ties_)), Places{0});
}

TEST_F(PlaceMapTest, OpenIndicesKeepTheirRange) {
  Array* a = Floats(three_, {1, 2, 2.0000001});
  a->e = arena_.Allocate<double>(3);
  std::fill(a->e, a->e + 3, 1e-6);
  const Shape scalar = {};
  const Array* index =
      CoordinatesOf(arena_, ExtremeMap(arena_, *a, 0, false, &ties_), three_, 0, &scalar);
  EXPECT_EQ(index->Error(0), kUnknown);
  const Picks picked = PickMap(arena_, {4}, {1}, 0, *index, {nullptr, 1});
  EXPECT_EQ(List(picked.places), Places{2});
  EXPECT_EQ(List(picked.others), (Places{0, 1}));
  // An entry that may not be there.
  EXPECT_THROW(PickMap(arena_, {2}, {1}, 0, *index, {nullptr, 1}), UnknownInteger);
}

TEST_F(PlaceMapTest, TermsOfOpenPicksHaveWeightsOfOneOrZero) {
  const int32_t places[] = {2, 0}, open[] = {0}, others[] = {1};
  const PickTerms terms = TermsOf(arena_, {{places, 2}, {open, 1}, {others, 1}}, DType::kF64);
  EXPECT_EQ(List(terms.from), (Places{2, 0, 1}));
  EXPECT_EQ(List(terms.to), (Places{0, 1, 0}));
  EXPECT_EQ(std::vector<double>(terms.weights->v, terms.weights->v + 3),
            (std::vector<double>{1, 1, 0}));
  EXPECT_EQ(std::vector<double>(terms.weights->e, terms.weights->e + 3),
            (std::vector<double>{1, 0, 1}));
}

TEST_F(PlaceMapTest, ExtremesOfRowsThatOverlap) {
  const Array* a = Floats(matrix_, {1, 3, 3, 5, kNan, 7});
  const Picks picks = ExtremeOfRows(arena_, *a, {{0, 1, 2}, {2, 3}, {3, 4, 5}}, false, &ties_);
  EXPECT_EQ(List(picks), (Places{1, 3, 4}));
  ASSERT_EQ(ties_.size(), 1u);
  EXPECT_EQ(ties_[0].at, (Places{0}));
  EXPECT_EQ(ties_[0].places, (Places{1, 2}));
}

}  // namespace
}  // namespace twingrad::reference
