#include "proptests/mutants/concurrent/program_harness.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/program/print.h"
#include "proptests/mutants/concurrent/hunt.h"
#include "proptests/mutants/concurrent/program_hunt.h"
#include "proptests/mutants/concurrent/speed.h"

namespace twingrad::mutants {
namespace {

constexpr std::string_view kErrors =
    "chain,fan_out,diamond,several_roots,view,in_place,devices,error";

ProgramHunt HuntOf(HuntKind kind) {
  ProgramHunt hunt;
  if (kind == HuntKind::kAny) return hunt;
  hunt.features = kErrors;
  hunt.failing = true;
  if (kind == HuntKind::kFailing) return hunt;
  // What shows under few schedules of a call that fails.
  hunt.programs = 20'000;
  hunt.schedules = 100;
  hunt.schedules_to_shrink = 500;
  return hunt;
}

// Median and worst over several seeds, of schedules as a row. Exit status 1 if it took longer than
// allowed.
int TimeSeeds(const Mutant& mutant, int seeds) {
  constexpr uint64_t kApart = 1'000'000;  // more than the Programs of one hunt
  std::vector<double> seconds;
  std::vector<int64_t> schedules;
  for (int i = 0; i < seeds; ++i) {
    ProgramHunt hunt = HuntOf(mutant.programs.hunt);
    hunt.seed += static_cast<uint64_t>(i) * kApart;
    hunt.make_small = false;
    const std::optional<ProgramCatch> caught = HuntByPrograms(hunt);
    if (!caught || caught->found != mutant.programs.detector) {
      std::printf("WRONG: seed %llu finds %s\n", static_cast<unsigned long long>(hunt.seed),
                  caught ? caught->found.c_str() : "nothing");
      return 1;
    }
    seconds.push_back(caught->seconds);
    schedules.push_back(caught->schedules);
  }
  if (seconds.empty()) return 1;
  std::sort(schedules.begin(), schedules.end());
  std::printf("| %s | %lld, %lld |\n", mutant.name.c_str(),
              static_cast<long long>(schedules[schedules.size() / 2]),
              static_cast<long long>(schedules.back()));
  return JudgeSpeed(mutant.name, "Programs", std::move(seconds));
}

bool Check(bool holds, const char* what) {
  if (!holds) std::printf("WRONG: %s\n", what);
  return holds;
}

bool Finds(const Mutant& mutant, bool check_state) {
  const std::string_view detector =
      check_state ? mutant.programs.detector : mutant.programs.without_rules;
  ProgramHunt hunt = HuntOf(mutant.programs.hunt);
  hunt.judge_calls = hunt.check_state = check_state;
  const std::optional<ProgramCatch> caught = HuntByPrograms(hunt);
  if (!caught) return Check(false, "no Program finds it");
  const interleave::SmallFinding& small = caught->small;
  std::printf(
      "| %s | %s | %d | %lld | found in %.3f s | %s | %d | %d |\n\n%sschedule of %d preemptions "
      "('>': another thread ran before):\n%s%s\n\n",
      mutant.name.c_str(), check_state ? "on" : "off", caught->programs,
      static_cast<long long>(caught->schedules), caught->seconds, small.run.detector.c_str(),
      small.preemptions, caught->nodes, twingrad::program::Print(small.program).c_str(),
      small.preemptions, FormatEvents(small.run.outcome, 400).c_str(), small.run.failure.c_str());
  bool holds = Check(caught->found == detector, "another detector spoke than is expected");
  holds &= Check(small.run.detector == detector, "the smallest finding is another");
  holds &= Check(caught->replays, "the smallest schedule does not replay from its text");
  holds &= Check(small.preemptions <= kMaxPreemptions, "too many preemptions are left");
  holds &= Check(caught->nodes <= kMaxNodes, "too many nodes are left");
  return holds;
}

}  // namespace

int FindByPrograms(const Mutant& mutant) {
  const char* seeds = std::getenv("TWINGRAD_COMPARE_SEEDS");
  if (seeds != nullptr) return TimeSeeds(mutant, std::atoi(seeds));
  bool holds = Finds(mutant, /*check_state=*/true);
  if (!mutant.programs.without_rules.empty()) holds &= Finds(mutant, /*check_state=*/false);
  return holds ? 0 : 1;
}

}  // namespace twingrad::mutants
