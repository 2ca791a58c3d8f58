// Which numbers occur.

#include "proptests/generators/part_test_support.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

TEST(Numbers, CastsAndIntegersOccur) {
  EXPECT_GT(CountWith(AddNumbers, Opcode::kCast), 100);
  const int integers = CountOf(AddNumbers, [](const Program& p) {
    return HasStatement(p, [](const program::Statement& s) {
      return s.op == Opcode::kLeaf && s.Get<TensorType>(Key::kType).dtype == DType::kI64;
    });
  });
  EXPECT_GT(integers, 30);
}

// How many Programs have leaves or casts of the type.
int CountWith(DType dtype, bool allowed) {
  const auto add = [=](Draft& draft) {
    GeneratorOptions options;
    options.dtypes.set(static_cast<size_t>(dtype), allowed);
    const Draft::Narrowed narrowed(draft, options);
    for (int i = 0; i < 3; ++i) AddNumbers(draft);
  };
  return CountOf(add, [=](const Program& p) {
    return HasStatement(p, [=](const program::Statement& s) {
      return (s.op == Opcode::kLeaf && s.Get<TensorType>(Key::kType).dtype == dtype) ||
             (s.op == Opcode::kCast && s.Get<DType>(Key::kTo) == dtype);
    });
  });
}

TEST(Numbers, TypesOfStorageOccurWhereTheyMay) {
  for (const DType dtype : {DType::kF16, DType::kBF16, DType::kI32}) {
    EXPECT_GT(CountWith(dtype, true), 15) << DTypeName(dtype);
    EXPECT_EQ(CountWith(dtype, false), 0) << DTypeName(dtype);
  }
}

}  // namespace
}  // namespace twingrad::generators
