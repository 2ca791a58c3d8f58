// Entries of sparse tensors: values and indices lose and repeat them together.

#include "proptests/shrink/sparse_entries.h"

#include <string>

#include "autograd/program/parse.h"
#include "autograd/program/print.h"
#include "gtest/gtest.h"

namespace twingrad::shrink {
namespace {

constexpr char kEntries[] =
    "twingrad 1\n"
    "%v0 = leaf type=f64[3,2] data=1,2,3,4,5,6 grad=1\n"
    "%v1 = leaf type=i64[2,3] data=1,0,1,2,0,2\n"
    "%v2 = sparse_coo %v0 %v1 shape=2,3,2\n"
    "%v3 = coalesce %v2 count=2\n"
    "%v4 = coalesce %v3 count=2\n";

TEST(SparseEntriesTest, CountsThem) {
  const auto program = *program::Parse(kEntries);
  EXPECT_EQ(EntriesOf(program, 2), 3);
  EXPECT_EQ(EntriesOf(program, 0), std::nullopt);
  EXPECT_EQ(EntriesOf(program, 9), std::nullopt);
  const auto computed = *program::Parse(
      "twingrad 1\n%x = leaf type=f64[1]\n%i = leaf type=i64[1,1]\n%y = neg %x\n"
      "%s = sparse_coo %y %i shape=2\n");
  EXPECT_EQ(EntriesOf(computed, 3), std::nullopt);
  EXPECT_FALSE(TakeEntries(computed, 3, {}).has_value());
}

TEST(SparseEntriesTest, TakesThemOfValuesAndIndices) {
  const auto program = *program::Parse(kEntries);
  EXPECT_EQ(program::Print(*TakeEntries(program, 2, {0, 2})),
            "twingrad 1\n"
            "%v0 = leaf type=f64[2,2] data=1,2,5,6 grad=1\n"
            "%v1 = leaf type=i64[2,2] data=1,1,2,2\n"
            "%v2 = sparse_coo %v0 %v1 shape=2,3,2\n"
            "%v3 = coalesce %v2 count=1\n"
            "%v4 = coalesce %v3 count=1\n");
  EXPECT_EQ(EntriesOf(*TakeEntries(program, 2, {1, 0, 2, 1}), 2), 4);
  const std::string none = program::Print(*TakeEntries(program, 2, {}));
  EXPECT_NE(none.find("type=f64[0,2]"), std::string::npos) << none;
  EXPECT_NE(none.find("count=0"), std::string::npos) << none;
}

}  // namespace
}  // namespace twingrad::shrink
