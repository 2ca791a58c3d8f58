#include "proptests/generators/window.h"

#include "autograd/program/signature.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

using twingrad::program::Category;
using twingrad::program::Key;
using twingrad::program::Signature;

// Applied to two channels of a plane of one, two or three dimensions, where `samples` in two
// samples.
void Apply(Draft& draft, int dims, bool samples, Category category) {
  Shape shape(static_cast<size_t>(dims) + (samples ? 2 : 1), 2);
  const ValueId x = MakeLeaf(draft, {.dtype = DType::kF64, .shape = shape, .grad = true});
  if (category == Category::kMatmul) {
    ApplyConvolution(draft, x);
  } else if (category == Category::kReduction) {
    ApplyPool(draft, x);
  } else {
    ApplyUpsampling(draft, x);
  }
}

// Each op is made, in valid Programs, of [C, ..] and of [N, C, ..].
TEST(Window, MakesEachOfItsOps) {
  for (const Signature& signature : twingrad::program::Signatures()) {
    const int dims = PlaneRank(signature);
    if (dims == 0) continue;
    for (const bool samples : {false, true}) {
      const auto apply = [&](Draft& draft) { Apply(draft, dims, samples, signature.category); };
      EXPECT_GT(CountWith(apply, signature.op, 400), 5) << signature.name << samples;
    }
  }
}

// Strides, paddings, dilation and groups are drawn and left out.
TEST(Window, DrawsEachAttribute) {
  const auto apply = [](Draft& draft) { Apply(draft, 2, true, Category::kMatmul); };
  for (const Key key :
       {Key::kStride, Key::kPadding, Key::kDilation, Key::kGroups, Key::kOutputPadding}) {
    const int found = CountOf(apply, [key](const Program& p) {
      return HasStatement(p, [key](const auto& s) { return s.Find(key) != nullptr; });
    });
    EXPECT_GT(found, 20) << twingrad::program::KeyName(key);
    EXPECT_LT(found, 280) << twingrad::program::KeyName(key);
  }
}

}  // namespace
}  // namespace twingrad::generators
