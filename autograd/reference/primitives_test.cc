#include "autograd/reference/primitives.h"

#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

class PrimitivesTest : public testing::Test {
 protected:
  const Array* Floats(std::vector<double> v, DType dtype = DType::kF64) {
    program::Bits bits;
    for (const double x : v) bits.push_back(std::bit_cast<uint64_t>(x));
    shapes_.push_back(std::make_unique<Shape>(Shape({static_cast<int64_t>(v.size())})));
    return ArrayFromBits(arena_, dtype, shapes_.back().get(), bits);
  }
  const Array* Integers(std::vector<int64_t> v, DType dtype = DType::kI64) {
    program::Bits bits;
    for (const int64_t x : v) bits.push_back(static_cast<uint64_t>(x));
    shapes_.push_back(std::make_unique<Shape>(Shape({static_cast<int64_t>(v.size())})));
    return ArrayFromBits(arena_, dtype, shapes_.back().get(), bits);
  }
  const Array* Run(Primitive primitive, const Array* a, const Array* b = nullptr,
                   const Array* c = nullptr, const PrimitiveArguments& arguments = {}) {
    const Array* in[3] = {a, b, c};
    return Evaluate(arena_, primitive, in, arguments, false);
  }
  static std::vector<double> List(const Array* a) { return {a->v, a->v + a->size}; }
  static std::vector<int64_t> IntegerList(const Array* a) { return {a->i, a->i + a->size}; }

  Arena arena_;
  std::vector<std::unique_ptr<Shape>> shapes_;
};

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST_F(PrimitivesTest, IntegersWrap) {
  const Array* a = Integers({kMax, kMin, -7, 3});
  const Array* b = Integers({1, -1, 2, 4});
  EXPECT_EQ(IntegerList(Run(Primitive::kAdd, a, b)), (std::vector<int64_t>{kMin, kMax, -5, 7}));
  EXPECT_EQ(IntegerList(Run(Primitive::kSubtract, a, b)),
            (std::vector<int64_t>{kMax - 1, kMin + 1, -9, -1}));
  EXPECT_EQ(IntegerList(Run(Primitive::kMultiply, a, b)),
            (std::vector<int64_t>{kMax, kMin, -14, 12}));
  EXPECT_EQ(IntegerList(Run(Primitive::kAbs, a)), (std::vector<int64_t>{kMax, kMin, 7, 3}));
  EXPECT_EQ(IntegerList(Run(Primitive::kPower, Integers({3, 0, 2}), Integers({4, 0, 64}))),
            (std::vector<int64_t>{81, 1, 0}));
  EXPECT_THROW(Run(Primitive::kPower, Integers({1}), Integers({-1})), DomainError);
}

TEST_F(PrimitivesTest, CastsSaturate) {
  PrimitiveArguments to_integer;
  to_integer.dtype = DType::kI64;
  const Array* floats = Floats({2.9, -2.9, std::nan(""), 1e30, -1e30});
  EXPECT_EQ(IntegerList(Run(Primitive::kCast, floats, nullptr, nullptr, to_integer)),
            (std::vector<int64_t>{2, -2, 0, kMax, kMin}));
  PrimitiveArguments to_bool;
  to_bool.dtype = DType::kBool;
  EXPECT_EQ(
      IntegerList(Run(Primitive::kCast, Floats({0, 0.5, std::nan("")}), nullptr, nullptr, to_bool)),
      (std::vector<int64_t>{0, 1, 1}));
  PrimitiveArguments to_single;
  to_single.dtype = DType::kF32;
  const Array* single = Run(Primitive::kCast, Floats({0.1, 0.5}), nullptr, nullptr, to_single);
  EXPECT_EQ(single->v[0], static_cast<double>(0.1f));
  EXPECT_GT(single->Error(0), 0);
  EXPECT_EQ(single->Error(1), 0);
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
  PrimitiveArguments arguments;
  const int32_t places[] = {2, 0, 2};
  arguments.map = {places, 3};
  arguments.shape = &three;
  const Array* a = Floats({1, 2, 4});
  EXPECT_EQ(List(Run(Primitive::kGather, a, nullptr, nullptr, arguments)),
            (std::vector<double>{4, 1, 4}));
  EXPECT_EQ(List(Run(Primitive::kScatterAdd, a, nullptr, nullptr, arguments)),
            (std::vector<double>{2, 0, 5}));
  const Array* written = Run(Primitive::kOverwrite, a, Floats({7, 8, 9}), nullptr, arguments);
  EXPECT_EQ(List(written), (std::vector<double>{8, 2, 9}));
}

TEST_F(PrimitivesTest, WeightsAtKinks) {
  EXPECT_EQ(List(MaximumWeight(arena_, Floats({1, 2, 3}), Floats({2, 2, 2}), 0)),
            (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(List(MaximumWeight(arena_, Floats({1, 2, 3}), Floats({2, 2, 2}), 1)),
            (std::vector<double>{1, 0.5, 0}));
  EXPECT_EQ(List(SignOf(arena_, Floats({-3, 0, 5}))), (std::vector<double>{-1, 0, 1}));
  EXPECT_EQ(List(ReluWeight(arena_, Floats({0, 5}))), (std::vector<double>{0, 1}));
  // A value that may be 0 as well decides nothing.
  const Array* near_zero = Run(Primitive::kSubtract, Run(Primitive::kSin, Floats({1})),
                               Run(Primitive::kSin, Floats({1})));
  ASSERT_GT(near_zero->Error(0), 0);
  EXPECT_EQ(SignOf(arena_, near_zero)->Error(0), kUnknown);
}

TEST_F(PrimitivesTest, SumsOfSlots) {
  const Array* terms[] = {Floats({1e8, 1}, DType::kF32), Floats({1, 2}, DType::kF32),
                          Floats({-1e8, 3}, DType::kF32)};
  const Array* sum = SumOf(arena_, terms);
  EXPECT_EQ(List(sum), (std::vector<double>{0, 6}));
  EXPECT_GE(sum->Error(0), 1);
  EXPECT_EQ(sum->Error(1), 0);
}

TEST_F(PrimitivesTest, EmptyArrays) {
  EXPECT_EQ(Run(Primitive::kExp, Floats({}))->size, 0);
  EXPECT_EQ(Run(Primitive::kAdd, Floats({}), Floats({}))->size, 0);
}

}  // namespace
}  // namespace twingrad::reference
