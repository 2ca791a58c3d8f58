#include "proptests/mutants/interleave/program_harness.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autograd/program/print.h"
#include "proptests/mutants/interleave/hunt.h"
#include "proptests/mutants/interleave/program_hunt.h"
#include "proptests/mutants/interleave/speed.h"

namespace twingrad::mutants {
namespace {

// Which Programs are asked, and who must find it; the second where the rules are off, empty where
// they do not speak, or where nothing else would.
struct Expected {
  std::string_view name;
  std::string_view by;
  std::string_view without_rules;
  ProgramHunt hunt;
};

ProgramHunt Failing(std::string_view features, std::string_view ops = "") {
  ProgramHunt hunt;
  hunt.features = features;
  hunt.ops = ops;
  hunt.failing = true;
  return hunt;
}

// What shows only while a call fails, and under few schedules of it.
ProgramHunt RareFailing(std::string_view features) {
  ProgramHunt hunt = Failing(features);
  hunt.programs = 20'000;
  hunt.schedules = 100;
  hunt.schedules_to_shrink = 500;
  return hunt;
}

std::vector<Expected> AllExpected() {
  constexpr std::string_view kErrors =
      "chain,fan_out,diamond,several_roots,view,in_place,devices,error";
  return {
      {"dropped_notify", "deadlock", "", {}},
      {"late_store", "deadlock", "", RareFailing(kErrors)},
      {"split_decrement", "invariant", "errors", {}},
      {"split_completion", "invariant", "errors", Failing(kErrors)},
      {"early_answer", "frozen", "", RareFailing(kErrors)},
      {"unlocked_shutdown_flag", "data race", "", {}},
  };
}

// Median and worst over several seeds, of schedules as a row. Exit status 1 if it took longer than
// allowed.
int TimeSeeds(const Expected& expected, int seeds) {
  constexpr uint64_t kApart = 1'000'000;  // more than the Programs of one hunt
  std::vector<double> seconds;
  std::vector<int64_t> schedules;
  for (int i = 0; i < seeds; ++i) {
    ProgramHunt hunt = expected.hunt;
    hunt.seed += static_cast<uint64_t>(i) * kApart;
    hunt.make_small = false;
    const std::optional<ProgramCatch> caught = HuntByPrograms(hunt);
    if (!caught || caught->found != expected.by) {
      std::printf("WRONG: seed %llu finds %s\n", static_cast<unsigned long long>(hunt.seed),
                  caught ? caught->found.c_str() : "nothing");
      return 1;
    }
    seconds.push_back(caught->seconds);
    schedules.push_back(caught->schedules);
  }
  if (seconds.empty()) return 1;
  std::sort(schedules.begin(), schedules.end());
  std::printf("| %s | %lld, %lld |\n", expected.name.data(),
              static_cast<long long>(schedules[schedules.size() / 2]),
              static_cast<long long>(schedules.back()));
  return JudgeSpeed(expected.name, "Programs", std::move(seconds));
}

bool Check(bool holds, const char* what) {
  if (!holds) std::printf("WRONG: %s\n", what);
  return holds;
}

bool Finds(const Expected& expected, bool check_state) {
  const std::string_view detector = check_state ? expected.by : expected.without_rules;
  ProgramHunt hunt = expected.hunt;
  hunt.judge_calls = hunt.check_state = check_state;
  const std::optional<ProgramCatch> caught = HuntByPrograms(hunt);
  if (!caught) return Check(false, "no Program finds it");
  const interleave::SmallFinding& small = caught->small;
  std::printf(
      "| %s | %s | %d | %lld | found in %.3f s | %s | %d | %d |\n\n%sschedule of %d preemptions "
      "('>': another thread ran before):\n%s%s\n\n",
      expected.name.data(), check_state ? "on" : "off", caught->programs,
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

int FindByPrograms(std::string_view name) {
  const char* seeds = std::getenv("TWINGRAD_COMPARE_SEEDS");
  for (const Expected& expected : AllExpected()) {
    if (expected.name != name) continue;
    if (seeds != nullptr) return TimeSeeds(expected, std::atoi(seeds));
    bool holds = Finds(expected, /*check_state=*/true);
    if (!expected.without_rules.empty()) holds &= Finds(expected, /*check_state=*/false);
    return holds ? 0 : 1;
  }
  std::fprintf(stderr, "[mutants] %s: no Program of one caller reaches it; see README.md\n",
               std::string(name).c_str());
  return 2;
}

}  // namespace twingrad::mutants
