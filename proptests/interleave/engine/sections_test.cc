// Programs with thread sections under the checker: several callers of one engine, found by Programs
// alone.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "autograd/program/parse.h"
#include "proptests/interleave/checker/lock_coverage.h"
#include "proptests/interleave/engine/program_run.h"
#include "proptests/interleave/strategies/random_strategy.h"

namespace twingrad::interleave {
namespace {

struct Seen {
  int survived[3] = {};  // schedules by number of errors that ended a section
  int64_t pairs = 0;     // of lock sites of grad_slot.cc that met
};

// Every schedule must be judged right.
Seen Explore(const std::string& lines, int schedules) {
  const auto program = program::Parse(absl::StrCat("twingrad 1\n", lines));
  EXPECT_TRUE(program.ok()) << program.status();
  LockCoverage locks;
  ProgramExplorer explorer(*program, {.locks = &locks});
  EXPECT_FALSE(explorer.skipped().has_value());
  EXPECT_TRUE(explorer.single().ok()) << explorer.single().failure;
  Seen seen;
  RandomStrategy strategy;
  for (int i = 0; i < schedules; ++i) {
    const ProgramRun run = explorer.Run(strategy, static_cast<uint64_t>(i));
    EXPECT_TRUE(run.ok()) << "schedule " << i << ": " << run.detector << "\n" << run.failure;
    if (!run.ok()) break;
    ++seen.survived[run.observation.survived.size()];
  }
  seen.pairs = locks.Summarize("autograd/graph/grad_slot.cc").seen;
  return seen;
}

TEST(SectionsInterleavingTest, CallsThatMeetAtOneLeafAddUp) {
  const Seen seen = Explore(
      "%x = leaf type=f64[] data=3 grad=1\n"
      "%y = mul %x %x\n"
      "begin kind=thread\n"
      "%a = neg %y\n"
      "backward %a retain_graph=1\n"
      "end\n"
      "begin kind=thread\n"
      "%b = mul %y %x\n"
      "backward %b retain_graph=1\n"
      "end\n"
      "%c = add %a %b\n"
      "backward %c\n",
      400);
  EXPECT_EQ(seen.survived[0], 400);
  EXPECT_GT(seen.pairs, 0) << "no two calls met at the leaf";
}

TEST(SectionsInterleavingTest, OfCallsThatReleaseOneGraphOneAtLeastSucceeds) {
  const Seen seen = Explore(
      "%x = leaf type=f64[] data=3 grad=1\n"
      "%y = mul %x %x\n"
      "%z = mul %y %x\n"
      "begin kind=thread\n"
      "backward %z\n"
      "end\n"
      "begin kind=thread\n"
      "backward %z\n"
      "end\n",
      400);
  EXPECT_GT(seen.survived[0], 0);
  EXPECT_GT(seen.survived[1], 0);
  EXPECT_EQ(seen.survived[2], 0);
}

}  // namespace
}  // namespace twingrad::interleave
