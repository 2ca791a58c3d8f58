#include "autograd/reference/primitives.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/reference/weights.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

using Doubles = std::vector<double>;
using Integers64 = std::vector<int64_t>;

class PrimitivesTest : public testing::Test {
 protected:
  const Array* Floats(Doubles v, DType dtype = DType::kF64) {
    program::Bits bits;
    for (const double x : v) bits.push_back(std::bit_cast<uint64_t>(x));
    return ArrayFromBits(arena_, dtype, arena_.Keep({static_cast<int64_t>(v.size())}), bits);
  }
  const Array* Integers(Integers64 v, DType dtype = DType::kI64) {
    program::Bits bits;
    for (const int64_t x : v) bits.push_back(static_cast<uint64_t>(x));
    return ArrayFromBits(arena_, dtype, arena_.Keep({static_cast<int64_t>(v.size())}), bits);
  }
  const Array* Run(Primitive primitive, const Array* a, const Array* b = nullptr,
                   const Array* c = nullptr, const PrimitiveArguments& arguments = {}) {
    const Array* in[3] = {a, b, c};
    return Evaluate(arena_, primitive, in, arguments, false);
  }
  // Of {x0, x1} and {x2, x3}.
  Doubles OfPairs(Primitive primitive, const Doubles& elements) {
    return List(Run(primitive, Floats(elements), nullptr, nullptr, pairs_));
  }
  // An array whose elements all have this bound.
  Array* Bounded(const Doubles& v, double bound) {
    Array* array = arena_.New(*Floats(v));
    array->e = arena_.Allocate<double>(array->size);
    std::fill(array->e, array->e + array->size, bound);
    return array;
  }
  static Doubles List(const Array* a) { return {a->v, a->v + a->size}; }
  static Integers64 IntegerList(const Array* a) { return {a->i, a->i + a->size}; }

  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  static constexpr int32_t kPairs[] = {0, 0, 1, 1};
  Arena arena_;
  PrimitiveArguments pairs_ = {.map = {kPairs, 4}, .shape = arena_.Keep({2})};
};

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST_F(PrimitivesTest, IntegersWrap) {
  const Array* a = Integers({kMax, kMin, -7, 3});
  const Array* b = Integers({1, -1, 2, 4});
  EXPECT_EQ(IntegerList(Run(Primitive::kAdd, a, b)), (Integers64{kMin, kMax, -5, 7}));
  EXPECT_EQ(IntegerList(Run(Primitive::kSubtract, a, b)), (Integers64{kMax - 1, kMin + 1, -9, -1}));
  EXPECT_EQ(IntegerList(Run(Primitive::kMultiply, a, b)), (Integers64{kMax, kMin, -14, 12}));
  EXPECT_EQ(IntegerList(Run(Primitive::kAbs, a)), (Integers64{kMax, kMin, 7, 3}));
  EXPECT_EQ(IntegerList(Run(Primitive::kPower, Integers({3, 0, 2}), Integers({4, 0, 64}))),
            (Integers64{81, 1, 0}));
  EXPECT_THROW(Run(Primitive::kPower, Integers({1}), Integers({-1})), DomainError);
}

TEST_F(PrimitivesTest, ShortIntegersWrapModulo2To32) {
  constexpr int64_t kLeast = std::numeric_limits<int32_t>::min(), kMost = -(kLeast + 1);
  const Array* a = Integers({kMost, kLeast, -7, 65536}, DType::kI32);
  const Array* b = Integers({1, -1, 2, 65536}, DType::kI32);
  EXPECT_EQ(IntegerList(Run(Primitive::kAdd, a, b)), (Integers64{kLeast, kMost, -5, 131072}));
  EXPECT_EQ(IntegerList(Run(Primitive::kSubtract, a, b)),
            (Integers64{kMost - 1, kLeast + 1, -9, 0}));
  EXPECT_EQ(IntegerList(Run(Primitive::kMultiply, a, b)), (Integers64{kMost, kLeast, -14, 0}));
  EXPECT_EQ(IntegerList(Run(Primitive::kNegate, a)), (Integers64{kLeast + 1, kLeast, 7, -65536}));
  EXPECT_EQ(IntegerList(Run(Primitive::kAbs, a)), (Integers64{kMost, kLeast, 7, 65536}));
  EXPECT_EQ(IntegerList(Run(Primitive::kPower, Integers({3, 2, 2}, DType::kI32),
                            Integers({21, 31, 40}, DType::kI32))),
            (Integers64{1870418611, kLeast, 0}));
  EXPECT_EQ(IntegerList(Run(Primitive::kScatterAdd, a, nullptr, nullptr, pairs_)),
            (Integers64{-1, 65529}));
  EXPECT_EQ(IntegerList(Run(Primitive::kScatterAdd, Integers({kMost, 2, kLeast, -1}, DType::kI32),
                            nullptr, nullptr, pairs_)),
            (Integers64{kLeast + 1, kMost}));
}

TEST_F(PrimitivesTest, CastsToShortIntegersSaturateOrWrap) {
  const PrimitiveArguments to = {.dtype = DType::kI32};
  EXPECT_EQ(IntegerList(Run(Primitive::kCast, Floats({2.9, -2.9, std::nan(""), 1e30, -3e9, 2e9}),
                            nullptr, nullptr, to)),
            (Integers64{2, -2, 0, 2147483647, -2147483648, 2000000000}));
  EXPECT_EQ(IntegerList(Run(Primitive::kCast, Integers({int64_t{1} << 32, 3000000000, kMin, -1}),
                            nullptr, nullptr, to)),
            (Integers64{0, 3000000000 - (int64_t{1} << 32), 0, -1}));
}

TEST_F(PrimitivesTest, CastsSaturate) {
  const Array* floats = Floats({2.9, -2.9, std::nan(""), 1e30, -1e30});
  EXPECT_EQ(IntegerList(Run(Primitive::kCast, floats, nullptr, nullptr, {.dtype = DType::kI64})),
            (Integers64{2, -2, 0, kMax, kMin}));
  EXPECT_EQ(IntegerList(Run(Primitive::kCast, Floats({0, 0.5, std::nan("")}), nullptr, nullptr,
                            {.dtype = DType::kBool})),
            (Integers64{0, 1, 1}));
  const Array* single =
      Run(Primitive::kCast, Floats({0.1, 0.5}), nullptr, nullptr, {.dtype = DType::kF32});
  EXPECT_EQ(single->v[0], static_cast<double>(0.1f));
  EXPECT_GT(single->Error(0), 0);
  EXPECT_EQ(single->Error(1), 0);
}

TEST_F(PrimitivesTest, ShortFloatsRoundEachResult) {
  const Array* a = Floats({2048, 3}, DType::kF16);
  const Array* b = Floats({1, 4}, DType::kF16);
  const Array* sum = Run(Primitive::kAdd, a, b);
  EXPECT_EQ(List(sum), (Doubles{2048, 7}));
  EXPECT_GE(sum->Error(0), 1);
  EXPECT_EQ(sum->Error(1), 0);
  const Array* product = Run(Primitive::kMultiply, Floats({17}, DType::kBF16),
                             Floats({17}, DType::kBF16));  // 289 is between 288 and 290
  EXPECT_EQ(product->v[0], 288);
  EXPECT_GE(product->Error(0), 1);
  const Array* beyond =
      Run(Primitive::kMultiply, Floats({256}, DType::kF16), Floats({256}, DType::kF16));
  EXPECT_EQ(beyond->Error(0), kUnknown);
}

// An engine that goes on in f32 has a number there.
TEST_F(PrimitivesTest, WholeQuotientsBeyondAShortFormatAreNotKnown) {
  const Array* a = Floats({65504, 65504, kInfinity}, DType::kF16);
  const Array* b = Floats({0.5, 2, 2}, DType::kF16);
  const Array* whole = WholeQuotients(arena_, a, b, /*floors=*/false);
  EXPECT_EQ(whole->Error(0), kUnknown);
  EXPECT_EQ(whole->v[1], 32752);
  EXPECT_EQ(whole->Error(1), 0);
  EXPECT_EQ(whole->Error(2), kUnknown);
}

TEST_F(PrimitivesTest, SinglesRoundOnce) {
  const Array* a = Floats({16777216}, DType::kF32);
  const Array* b = Floats({1}, DType::kF32);
  const Array* sum = Run(Primitive::kAdd, a, b);
  EXPECT_EQ(sum->v[0], 16777216);
  EXPECT_GE(sum->Error(0), 1);
}

TEST_F(PrimitivesTest, GatherAndScatterAddAreTransposes) {
  const Shape three({3});
  const int32_t places[] = {2, 0, 2};
  const PrimitiveArguments arguments = {.map = {places, 3}, .shape = &three};
  const Array* a = Floats({1, 2, 4});
  EXPECT_EQ(List(Run(Primitive::kGather, a, nullptr, nullptr, arguments)), (Doubles{4, 1, 4}));
  EXPECT_EQ(List(Run(Primitive::kScatterAdd, a, nullptr, nullptr, arguments)), (Doubles{2, 0, 5}));
  const Array* written = Run(Primitive::kOverwrite, a, Floats({7, 8, 9}), nullptr, arguments);
  EXPECT_EQ(List(written), (Doubles{8, 2, 9}));
}

TEST_F(PrimitivesTest, WeightsAtKinks) {
  EXPECT_EQ(List(MaximumWeight(arena_, Floats({1, 2, 3}), Floats({2, 2, 2}), 0)),
            (Doubles{0, 0.5, 1}));
  EXPECT_EQ(List(MaximumWeight(arena_, Floats({1, 2, 3}), Floats({2, 2, 2}), 1)),
            (Doubles{1, 0.5, 0}));
  const Array* near = Bounded({1, 2}, 1e-6);
  EXPECT_EQ(MaximumWeight(arena_, near, Bounded({1, 2}, 1e-6), 0)->Error(0), 1);
  EXPECT_EQ(MaximumWeight(arena_, near, near, 0)->Error(0), 0);  // with itself
  EXPECT_EQ(List(SignOf(arena_, Floats({-3, 0, 5}))), (Doubles{-1, 0, 1}));
  EXPECT_EQ(List(ReluWeight(arena_, Floats({0, 5}))), (Doubles{0, 1}));
  // A value that may be 0 as well decides nothing.
  const Array* near_zero = Run(Primitive::kSubtract, Run(Primitive::kSin, Floats({1})),
                               Run(Primitive::kSin, Floats({1})));
  ASSERT_GT(near_zero->Error(0), 0);
  EXPECT_EQ(SignOf(arena_, near_zero)->Error(0), 2);  // from -1 to 1
}

TEST_F(PrimitivesTest, Extremes) {
  EXPECT_EQ(OfPairs(Primitive::kExtreme, {1, 2, -3, -4}), (Doubles{2, -3}));
  pairs_.least = true;
  EXPECT_EQ(OfPairs(Primitive::kExtreme, {1, 2, -3, -4}), (Doubles{1, -4}));
  EXPECT_TRUE(std::isnan(OfPairs(Primitive::kExtreme, {1, kNan, 0, 0})[0]));
}

TEST_F(PrimitivesTest, SharesOfExtremes) {
  const Array* weights = ExtremeWeight(arena_, Floats({2, 2, 1, 3}), pairs_);
  EXPECT_EQ(List(weights), (Doubles{0.5, 0.5, 0, 1}));
  EXPECT_EQ(weights->Error(0), 0);
  const Array* near = Bounded({2, 2.0000001, 1, 3}, 1e-6);
  const Array* open = ExtremeWeight(arena_, near, pairs_);
  EXPECT_EQ(open->Error(0), 1);  // from 0 to 1
  EXPECT_EQ(open->Error(1), 1);
  EXPECT_EQ(open->Error(3), 0);
}

// Of NaN no element is the greatest: an engine may drop what it multiplies, or make NaN of it.
TEST_F(PrimitivesTest, ShareOfNaNKnowsNothing) {
  const Array* weights = ExtremeWeight(arena_, Floats({kNan, 1, 2, 3}), pairs_);
  const Array* in[] = {Floats({kNan, kNan, kNan, 1}), weights};
  const Array* out = Evaluate(arena_, Primitive::kWeigh, in, {}, false);
  EXPECT_EQ(out->Error(0), kUnknown);
  EXPECT_EQ(out->Error(1), kUnknown);
  EXPECT_EQ(out->Error(3), 0);
}

TEST_F(PrimitivesTest, SoftmaxDoesNotOverflow) {
  EXPECT_EQ(OfPairs(Primitive::kSoftmax, {1000, 1000, 0, -kInfinity}), (Doubles{0.5, 0.5, 1, 0}));
  const Doubles logs = OfPairs(Primitive::kLogSoftmax, {1000, 1000, 0, -kInfinity});
  EXPECT_DOUBLE_EQ(logs[0], -std::log(2));
  EXPECT_EQ(logs[2], 0);
  EXPECT_EQ(logs[3], -kInfinity);
}

// The greatest may be an infinity of the other sign: nothing is known of the others either.
TEST_F(PrimitivesTest, SoftmaxOfAnUnknownInfinityIsUnknown) {
  Array* a = Bounded({kInfinity, 1, 2, 3}, 0);
  a->e[0] = kEitherSign;
  const Array* in[3] = {a, nullptr, nullptr};
  const Array* r = Evaluate(arena_, Primitive::kLogSoftmax, in, pairs_, false);
  EXPECT_EQ(r->Error(0), kUnknown);
  EXPECT_EQ(r->Error(1), kUnknown);
  EXPECT_LT(r->Error(2), 1e-9);
}

TEST_F(PrimitivesTest, LogSumExp) {
  const Doubles sums = OfPairs(Primitive::kLogSumExp, {1000, 1000, -kInfinity, -kInfinity});
  EXPECT_DOUBLE_EQ(sums[0], 1000 + std::log(2));
  EXPECT_EQ(sums[1], -kInfinity);
  EXPECT_EQ(OfPairs(Primitive::kLogSumExp, {kInfinity, 0, 0, kNan})[0], kInfinity);
  EXPECT_TRUE(std::isnan(OfPairs(Primitive::kLogSumExp, {0, 0, 0, kNan})[1]));
}

TEST_F(PrimitivesTest, ClampIsFlatAtItsLimits) {
  const PrimitiveArguments limits = {.low = 0, .high = 1};
  const Array* weights = ClampWeight(arena_, Floats({-1, 0.5, 0.25, 2}), limits, true);
  EXPECT_EQ(List(weights), (Doubles{0, 1, 1, 0}));
  const PrimitiveArguments none = {.low = 1, .high = 1};
  EXPECT_EQ(List(ClampWeight(arena_, Floats({0, 1, 2}), none, false)), (Doubles{0, 0, 0}));
  const Array* edges = ClampWeight(arena_, Floats({0, 1, kNan, 0}), limits, true);
  EXPECT_EQ(Doubles(edges->v, edges->v + 2), (Doubles{0, 0}));
  EXPECT_EQ(edges->Error(2), kUnknown);
}

TEST_F(PrimitivesTest, SumsOfSlots) {
  const Array* terms[] = {Floats({1e8, 1}, DType::kF32), Floats({1, 2}, DType::kF32),
                          Floats({-1e8, 3}, DType::kF32)};
  const Array* sum = SumOf(arena_, terms);
  EXPECT_EQ(List(sum), (Doubles{0, 6}));
  EXPECT_GE(sum->Error(0), 1);
  EXPECT_EQ(sum->Error(1), 0);
}

TEST_F(PrimitivesTest, EmptyArrays) {
  EXPECT_EQ(Run(Primitive::kExp, Floats({}))->size, 0);
  EXPECT_EQ(Run(Primitive::kAdd, Floats({}), Floats({}))->size, 0);
}

}  // namespace
}  // namespace twingrad::reference
