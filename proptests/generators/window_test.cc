#include "proptests/generators/window.h"

#include "autograd/program/signature.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/part_test_support.h"

namespace twingrad::generators {
namespace {

using twingrad::program::Key;
using twingrad::program::Signature;

bool WorksOnWindows(const Signature& signature) {
  return signature.Find(Key::kKernel) != nullptr || signature.Find(Key::kGroups) != nullptr;
}

// Applied to two channels of a plane of one, two or three dimensions, where `samples` in two
// samples.
void Apply(Draft& draft, int dims, bool samples, bool convolves) {
  Shape shape(static_cast<size_t>(dims) + (samples ? 2 : 1), 2);
  const ValueId x = MakeLeaf(draft, {.dtype = DType::kF64, .shape = shape, .grad = true});
  if (convolves) {
    ApplyConvolution(draft, x);
  } else {
    ApplyPool(draft, x);
  }
}

// Each op is made, in valid Programs, of [C, ..] and of [N, C, ..].
TEST(Window, MakesEachOfItsOps) {
  for (const Signature& signature : twingrad::program::Signatures()) {
    if (!WorksOnWindows(signature)) continue;
    const bool convolves = signature.Find(Key::kGroups) != nullptr;
    const int dims = signature.name[signature.name.find_first_of("123")] - '0';
    for (const bool samples : {false, true}) {
      const auto apply = [&](Draft& draft) { Apply(draft, dims, samples, convolves); };
      EXPECT_GT(CountWith(apply, signature.op, 400), 5) << signature.name << samples;
    }
  }
}

// Strides, padding, dilation and groups are drawn and left out.
TEST(Window, DrawsEachAttribute) {
  const auto apply = [](Draft& draft) { Apply(draft, 2, true, true); };
  for (const Key key : {Key::kStride, Key::kPadding, Key::kDilation, Key::kGroups}) {
    const int found = CountOf(apply, [key](const Program& p) {
      return HasStatement(p, [key](const auto& s) { return s.Find(key) != nullptr; });
    });
    EXPECT_GT(found, 20) << twingrad::program::KeyName(key);
    EXPECT_LT(found, 280) << twingrad::program::KeyName(key);
  }
}

}  // namespace
}  // namespace twingrad::generators
