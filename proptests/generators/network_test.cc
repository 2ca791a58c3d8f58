#include "proptests/generators/network.h"

#include "autograd/program/signature.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

using Part = ValueId (*)(Draft&, ValueId);

auto Applied(Part part, const Shape& shape) {
  return [part, shape](Draft& draft) {
    part(draft, MakeLeaf(draft, {.dtype = DType::kF64, .shape = shape, .grad = true}));
  };
}

// Each op is made, in valid Programs.
TEST(Network, MakesEachOfItsOps) {
  EXPECT_GT(CountWith(Applied(ApplyLinear, {2, 3}), Opcode::kLinear, 400), 100);
  EXPECT_GT(CountWith(Applied(ApplyLinear, {3}), Opcode::kLinear, 400), 100);
  for (const Shape& shape : {Shape{2, 3}, Shape{2, 2, 1}, Shape{0, 2}}) {
    EXPECT_GT(CountWith(Applied(ApplyAttention, shape), Opcode::kScaledDotProductAttention, 400),
              20);
  }
  for (const Opcode op : {Opcode::kLayerNorm, Opcode::kGroupNorm, Opcode::kBatchNorm}) {
    EXPECT_GT(CountWith(Applied(ApplyNorm, {2, 2, 3}), op, 400), 10);
    EXPECT_GT(CountWith(Applied(ApplyNorm, {0, 2}), op, 400), 10);
  }
  EXPECT_GT(CountWith(Applied(ApplyDropout, {2, 3}), Opcode::kDropout, 400), 20);
}

// Biases, weights and attributes are there and left out.
TEST(Network, DrawsWhatMayBeLeftOut) {
  const auto with = [](Part part, size_t operands) {
    return CountOf(Applied(part, {2, 2}), [operands](const Program& p) {
      return HasStatement(p, [operands](const auto& s) {
        return s.op != Opcode::kLeaf && s.operands.size() == operands &&
               (s.op == Opcode::kLinear || s.Find(Key::kEps) != nullptr);
      });
    });
  };
  for (const size_t operands : {2, 3}) EXPECT_GT(with(ApplyLinear, operands), 20);
  for (const size_t operands : {1, 2, 3}) EXPECT_GT(with(ApplyNorm, operands), 10);
  for (const Key key : {Key::kGroups, Key::kCausal}) {
    const int found = CountOf(
        Applied(key == Key::kCausal ? ApplyAttention : ApplyNorm, {2, 2}), [key](const Program& p) {
          return HasStatement(p, [key](const auto& s) { return s.Find(key) != nullptr; });
        });
    EXPECT_GT(found, 3) << twingrad::program::KeyName(key);
  }
}

}  // namespace
}  // namespace twingrad::generators
