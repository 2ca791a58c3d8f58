// At: the parts that an index names, that they are views, and what is refused.

#include "autograd/notation/indexing.h"

#include <functional>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/engine/front_end.h"
#include "autograd/graph/variable.h"
#include "autograd/graph/view.h"
#include "autograd/notation/elements.h"
#include "autograd/notation/operators.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

using Doubles = std::vector<double>;

Tensor Table() { return Tensor::FromData<double>({2, 3}, {1, 2, 3, 4, 5, 6}); }

TEST(Indexing, TakesEntriesRangesAndNewDimensions) {
  const Tensor x = Table();
  EXPECT_EQ(Elements(At(x, {1})), (Doubles{4, 5, 6}));
  EXPECT_EQ(Elements(At(x, {-1, -1})), (Doubles{6}));
  EXPECT_EQ(Elements(At(x, {kAll, 1})), (Doubles{2, 5}));
  EXPECT_EQ(Elements(At(x, {kAll, Range{1, 3}})), (Doubles{2, 3, 5, 6}));
  EXPECT_EQ(Elements(At(x, {kAll, Range{0, kEnd, 2}})), (Doubles{1, 3, 4, 6}));
  EXPECT_EQ(Elements(At(x, {Range{-1}, Range{-2, -1}})), (Doubles{5}));
  EXPECT_EQ(Elements(At(x, {kRest, 0})), (Doubles{1, 4}));
  EXPECT_EQ(At(x, {kNewDim, kRest, kNewDim, 0}).sizes(), Ints({1, 2, 1}));
  EXPECT_EQ(At(x, {0, kRest, 0}).sizes(), Ints({}));
  EXPECT_EQ(At(x, {0, kRest, kAll}).sizes(), Ints({3}));
}

TEST(Indexing, WholeTensorsAreViewsToo) {
  const Tensor x = Table();
  for (const Tensor& whole : {At(x, {}), At(x, {kAll, kAll}), At(x, {kRest})}) {
    EXPECT_TRUE(IsView(whole));
    EXPECT_TRUE(whole.HasSameStorage(x));
    EXPECT_EQ(Elements(whole), Elements(x));
  }
  EXPECT_EQ(At(Tensor::Scalar(3), {kRest}).sizes(), Ints({}));
}

TEST(Indexing, WritesGoThroughWithHistory) {
  const Tensor leaf = Leaf(Table());
  Tensor x = leaf * 1;
  At(x, {kAll, Range{1, 3}}) *= 10;
  At(x, {0, 0}) += 5;
  EXPECT_EQ(Elements(x), (Doubles{6, 20, 30, 4, 50, 60}));
  Backward({Sum(x)});
  EXPECT_EQ(Elements(GradOf(leaf)), (Doubles{1, 10, 10, 1, 10, 10}));
}

TEST(Indexing, RefusesTooManyPlaces) {
  const Tensor x = Table();
  const std::vector<std::vector<Place>> kWrong = {
      {0, 0, 0}, {kRest, kRest}, {kAll, kAll, kAll}, {2}, {0, -4}};
  for (const std::vector<Place>& index : kWrong) {
    try {
      At(x, index);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kIndex) << error.what();
    }
  }
  EXPECT_THROW(At(Tensor(), {0}), Error);
}

}  // namespace
}  // namespace twingrad
