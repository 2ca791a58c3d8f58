// What indices and masks take, put and reduce: values and gradients.

#include <string>
#include <utility>
#include <vector>

#include "autograd/reference/ball/test_ball.h"

namespace twingrad::reference::ball {
namespace {
TEST(BallIndexed, SparseTensors) {
  const BallRun run(
      "%x = leaf type=f64[3] data=1,2,4 grad=1\n%i = leaf type=i64[2,3] data=1,0,1,2,1,2\n"
      "%s = sparse_coo %x %i shape=2,3\n%c = coalesce %s count=2\n%d = to_dense %c\n"
      "%v = sparse_values %c\n%j = sparse_indices %c\n%p = mul %v %v\n%q = sum %p\n%r = sum %d\n"
      "backward %q %r\n");
  ASSERT_EQ(run.result().refusal, Refusal::kNone);
  ExpectNumbers(run.Value("s"), {0, 2, 0, 0, 0, 5}, "sparse_coo");
  ExpectNumbers(run.Value("d"), {0, 2, 0, 0, 0, 5}, "to_dense");
  ExpectNumbers(run.Value("v"), {2, 5}, "sparse_values");
  ExpectNumbers(run.Grad("x"), {11, 5, 11}, "all of them");
}

TEST(BallIndexed, IndicesAndMasksTakeAndPut) {
  const std::string matrix = kMatrix;
  const std::string i = "%i = leaf type=i64[3] data=1,0,1\n", j = "%j = leaf type=i64[] data=2\n";
  const std::string rows = "%m = leaf type=bool[2] data=0,1\n";
  const std::string flags = "%m = leaf type=bool[2,3] data=0,1,1,0,0,1\n";
  const LinearCase cases[] = {
      {matrix + i,
       "index %x %i",
       "f64[3,3] data=1,2,3,4,5,6,7,8,9",
       {6, 5, 4, 3, 1, 2, 6, 5, 4},
       {4, 5, 6, 8, 10, 12}},
      {matrix + i + j, "index %x %i %j", "f64[3] data=1,2,3", {4, 2, 4}, {0, 0, 2, 0, 0, 4}},
      {matrix + rows, "index %x %m count=1", "f64[1,3] data=1,2,3", {6, 5, 4}, {0, 0, 0, 1, 2, 3}},
      {matrix + flags, "index %x %m count=3", "f64[3] data=1,2,3", {1, 2, 4}, {0, 1, 2, 0, 0, 3}},
      {matrix + i + j + "%v = leaf type=f64[3] data=7,8,9\n",
       "index_put %x %v %i %j",
       "f64[2,3] data=1,2,3,4,5,6",
       {3, 1, 8, 6, 5, 9},
       {1, 2, 0, 4, 5, 0}},
      {matrix + i + j + "%v = leaf type=f64[3] data=7,8,9\n",
       "index_put %x %v %i %j accumulate=1",
       "f64[2,3] data=1,2,3,4,5,6",
       {3, 1, 10, 6, 5, 20},
       {1, 2, 3, 4, 5, 6}},
      {matrix + "%m = leaf type=bool[3] data=0,1,1\n",
       "masked_select %x %m count=4",
       "f64[4] data=1,2,3,4",
       {1, 2, 5, 4},
       {0, 1, 2, 0, 3, 4}},
  };
  for (const LinearCase& c : cases) ExpectLinear(c);
}

TEST(BallIndexed, PlacesAreReduced) {
  const std::string sent = std::string(kMatrix) +
                           "%i = leaf type=i64[2,3] data=0,0,1,0,1,1\n"
                           "%a = leaf type=f64[3,3] data=7,8,9,1,2,3,4,4,4\n";
  const auto reduced = [&](const std::string& how, std::vector<double> value,
                           std::vector<double> gradient) {
    ExpectLinear({sent, "scatter_reduce %a %i %x dim=0 reduction=" + how,
                  "f64[3,3] data=1,2,3,4,5,6,7,8,9", std::move(value), std::move(gradient)});
  };
  reduced("sum", {16, 9, 9, 1, 7, 9, 4, 4, 4}, {1, 2, 6, 1, 5, 6});
  reduced("sum include_self=0", {9, 1, 9, 1, 5, 6, 4, 4, 4}, {1, 2, 6, 1, 5, 6});
  reduced("mean include_self=0", {4.5, 1, 9, 1, 5, 3, 4, 4, 4}, {0.5, 2, 3, 0.5, 5, 3});
  reduced("prod", {126, 8, 9, 1, 10, 24, 4, 4, 4}, {42, 16, 72, 21, 10, 36});
  reduced("prod include_self=0", {18, 1, 9, 1, 5, 8, 4, 4, 4}, {6, 2, 24, 3, 5, 12});
  reduced("amax", {7, 8, 9, 1, 5, 4, 4, 4, 4}, {0, 0, 0, 0, 5, 6});
  reduced("amin include_self=0", {3, 1, 9, 1, 5, 2, 4, 4, 4}, {1, 2, 6, 0, 5, 0});
}

TEST(BallIndexed, WhatItCannotPlaceIsRefused) {
  for (const char* op : {"index %x %i", "index %x %m count=2", "masked_select %x %m count=0"}) {
    const BallRun run(std::string(kMatrix) +
                      "%i = leaf type=i64[1] data=2\n%m = leaf type=bool[2,3] data=1,0,0,0,0,0\n"
                      "%r = " +
                      op + "\n");
    EXPECT_EQ(run.result().refusal, Refusal::kIndex) << op;
  }
}

}  // namespace
}  // namespace twingrad::reference::ball
