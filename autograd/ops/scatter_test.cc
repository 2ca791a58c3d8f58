// What scatter writes, which of several elements stays, and that only what stays has a gradient.

#include "autograd/ops/scatter.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>

#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

TEST(Scatter, TheLastOfSeveralStays) {
  const Tensor a = Leaf({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor source = Leaf({2, 2}, {10, 20, 30, 40});
  const Tensor index = Indices({2, 2}, {1, 0, 1, 2});
  const Tensor y = Scatter(a, 0, index, source);
  EXPECT_EQ(Elements(y), (Doubles{1, 20, 30, 4, 5, 40}));
  EXPECT_EQ(Elements(a), (Doubles{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Weighed(y, a), (Doubles{1, 0, 0, 4, 5, 0}));
  EXPECT_EQ(Weighed(y, source), (Doubles{0, 2, 3, 6}));
}

TEST(Scatter, SecondDerivatives) {
  const Tensor a = Leaf({2}, {3, 5}), source = Leaf({1}, {2});
  const Tensor y = Scatter(a, 0, Indices({1}, {1}), source);
  const auto first = Derive(Mul(Mul(y, y), y), {a, source}, /*create_graph=*/true);
  EXPECT_EQ(Elements(first[0]), (Doubles{27, 0}));
  EXPECT_EQ(Elements(first[1]), (Doubles{12}));
  EXPECT_EQ(Elements(Derive(first[0], {a})[0]), (Doubles{18, 0}));
  EXPECT_EQ(Elements(Derive(first[1], {source})[0]), (Doubles{12}));
}

TEST(IndexAdd, EntriesAreAddedWhereTheListSays) {
  const Tensor a = Leaf({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor source = Leaf({3, 2}, {10, 20, 30, 40, 50, 60});
  const Tensor y = IndexAdd(a, 0, Indices({3}, {2, 0, 2}), source);
  EXPECT_EQ(Elements(y), (Doubles{31, 42, 3, 4, 65, 86}));
  EXPECT_EQ(Weighed(y, a), (Doubles{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Weighed(y, source), (Doubles{5, 6, 1, 2, 5, 6}));
  const Tensor columns = IndexAdd(a, 1, Indices({1}, {1}), Leaf({3, 1}, {1, 1, 1}));
  EXPECT_EQ(Elements(columns), (Doubles{1, 3, 3, 5, 5, 7}));
}

TEST(IndexCopy, TheLastEntryForAPlaceStays) {
  const Tensor a = Leaf({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor source = Leaf({3, 2}, {10, 20, 30, 40, 50, 60});
  const Tensor y = IndexCopy(a, 0, Indices({3}, {2, 0, 2}), source);
  EXPECT_EQ(Elements(y), (Doubles{30, 40, 3, 4, 50, 60}));
  EXPECT_EQ(Weighed(y, a), (Doubles{0, 0, 3, 4, 0, 0}));
  EXPECT_EQ(Weighed(y, source), (Doubles{0, 0, 1, 2, 5, 6}));
  const auto first = Derive(Mul(y, y), {a, source}, /*create_graph=*/true);
  EXPECT_EQ(Elements(Derive(first[0], {a})[0]), (Doubles{0, 0, 2, 2, 0, 0}));
  EXPECT_EQ(Elements(Derive(first[1], {source})[0]), (Doubles{0, 0, 2, 2, 2, 2}));
}

TEST(IndexCopy, Refusals) {
  const Tensor a = Leaf({3, 2}, {1, 2, 3, 4, 5, 6}), entry = Leaf({1, 2}, {1, 2});
  const Tensor list = Indices({1}, {0});
  EXPECT_EQ(KindOf([&] { IndexCopy(a, 0, Indices({1, 1}, {0}), entry); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { IndexAdd(a, 1, list, entry); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { IndexAdd(a, 0, Indices({1}, {3}), entry); }), ErrorKind::kIndex);
  EXPECT_EQ(KindOf([&] { IndexAdd(a, 2, list, entry); }), ErrorKind::kIndex);
}

TEST(Scatter, OfOtherTypesAndRefusals) {
  const Tensor flags = Tensor::FromData<bool>({2}, {true, false});
  const Tensor put = Tensor::FromData<bool>({1}, {false});
  EXPECT_EQ(Elements(Scatter(flags, 0, Indices({1}, {0}), put)), (Doubles{0, 0}));
  const Tensor a = Values({2}, {1, 2}), one = Values({1}, {7});
  EXPECT_EQ(KindOf([&] { Scatter(a, 0, Indices({1}, {2}), one); }), ErrorKind::kIndex);
  EXPECT_EQ(KindOf([&] { Scatter(a, 0, Indices({1}, {-1}), one); }), ErrorKind::kIndex);
  EXPECT_EQ(KindOf([&] { Scatter(a, 1, Indices({1}, {0}), one); }), ErrorKind::kIndex);
  EXPECT_EQ(KindOf([&] { Scatter(a, 0, Indices({2}, {0, 1}), one); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Scatter(a, 0, Indices({1}, {0}), put); }), ErrorKind::kDType);
}

}  // namespace
}  // namespace twingrad::ops
