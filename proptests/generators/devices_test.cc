// What is copied to devices, and sums over them.

#include <cstdint>

#include "autograd/program/analyze.h"
#include "autograd/program/stream_order.h"
#include "proptests/generators/generate.h"
#include "proptests/generators/part_test_support.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

TEST(Devices, ValuesAreCopiedToOtherDevices) { EXPECT_GT(CountWith(AddDevices, Opcode::kTo), 280); }

// All others are as they would be without.
TEST(Races, SomeProgramsLackOneOrder) {
  GeneratorOptions options;
  options.on_devices = true;
  GeneratorOptions ordered = options;
  ordered.races = 0;
  int racing = 0;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    const Program program = Generate(seed, options);
    const Program whole = Generate(seed, ordered);
    EXPECT_TRUE(twingrad::program::StreamsFollowEachOther(whole));
    EXPECT_TRUE(twingrad::program::Validate(program).ok()) << seed;
    if (program == whole) continue;
    ++racing;
    EXPECT_GE(program.statements.size() + 1, whole.statements.size()) << seed;
  }
  EXPECT_GT(racing, 30);
  EXPECT_LT(racing, 200);
}

TEST(Order, TheLeafHasThreeOrFourConsumers) {
  const int fans = CountOf(AddOrder, [](const Program& p) {
    const int uses = UsesOf(p, 1);
    return uses == 3 || uses == 4;
  });
  EXPECT_EQ(fans, 300);
}

}  // namespace
}  // namespace twingrad::generators
