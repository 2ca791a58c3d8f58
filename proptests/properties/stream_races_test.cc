// Law: the simulated accelerator reports what the twin says may race, and all that surely does; and
// no node waits for more than it takes. Of Programs most of which lack several events and waits.

#include <cstdint>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "proptests/generators/options.h"
#include "proptests/judge/engine_run.h"
#include "proptests/oracles/oracles.h"
#include "proptests/properties/property.h"

namespace twingrad::properties {
namespace {

void Check(std::string_view device, int programs, uint64_t least_racing) {
  generators::GeneratorOptions options;
  ASSERT_TRUE(generators::SetDevice(device, &options).ok());
  options.streams = 4;
  options.races = 20;
  judge::EngineRun run;
  uint64_t racing = 0;
  ForAll(programs, options, [&](const program::Program& program) {
    const program::Observation observed = run(program, 0);
    const oracles::Verdict races = oracles::JudgeStreams(program, observed);
    if (races.compared.racing > 0) ++racing;
    return TextOf(races) + TextOf(oracles::JudgeStreamWaits(program, observed));
  });
  EXPECT_GE(racing, least_racing);
}

TEST(StreamRaces, OnOneDevice) { Check("sim:1", 11500, 2000); }
TEST(StreamRaces, OnThreeDevices) { Check("sim:3", 11500, 800); }

}  // namespace
}  // namespace twingrad::properties
