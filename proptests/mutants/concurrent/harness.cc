// The main function of concurrent mutants: `<test> scenario|programs|control ROW`, with the row of
// BUILD.bazel as mutant.h reads it.
//
// scenario: the detector that the row names must find the defect, and the schedule must replay and
// shrink to kMaxPreemptions preemptions and kMaxNodes nodes. Prints a row of the kill matrix and
// the events of the smallest schedule. Then the engine's rules (engine_rules.h) are checked after
// every step: the rule that the row names must break earlier; if it names none, none may break.
// programs: random Programs must find it by the detector that the row names, with the rules on and
// off; the finding must be small and replay. Prints rows and findings.
// control: nothing is found in any scenario.
//
// Exit status 0 as expected, 1 otherwise, 2 if the row is wrong or its copy is not linked. With
// TWINGRAD_COMPARE_SEEDS=N it compares strategies instead, and says how much processor time they
// take.

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "proptests/interleave/checker/outcome.h"
#include "proptests/interleave/engine/engine_rules.h"
#include "proptests/interleave/engine/program_shrink.h"
#include "proptests/interleave/strategies/strategies.h"
#include "proptests/mutants/concurrent/hunt.h"
#include "proptests/mutants/concurrent/mutant.h"
#include "proptests/mutants/concurrent/program_hunt.h"
#include "proptests/mutants/concurrent/scenarios.h"
#include "proptests/mutants/planted.h"

namespace twingrad::mutants {
namespace {

using interleave::ExecutionOutcome;

constexpr uint64_t kSeed = 1;
constexpr int64_t kControlSchedules = 20'000;

int failures = 0;

void Expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("WRONG: %s\n", what);
  ++failures;
}

void ExpectSmall(const Scenario& scenario, const Catch& caught) {
  Expect(caught.replays, "the smallest schedule does not replay decision by decision");
  Expect(caught.preemptions <= kMaxPreemptions, "the smallest schedule has too many preemptions");
  Expect(caught.nodes == scenario.nodes, "the scenario says another number of nodes");
  Expect(caught.nodes <= kMaxNodes, "the smallest schedule runs graphs of too many nodes");
}

// Null: random.
std::unique_ptr<interleave::Strategy> StrategyOf(const Mutant& mutant) {
  if (mutant.strategy.empty()) return nullptr;
  auto strategy = interleave::MakeStrategy(mutant.strategy);
  if (!strategy.ok())
    std::fprintf(stderr, "%s\n", std::string(strategy.status().message()).c_str());
  return strategy.ok() ? *std::move(strategy) : nullptr;
}

// A rule must detect the defect at the step that breaks it, before any judge could. If the row says
// that no rule can, none may break.
void HuntByRules(const Mutant& mutant) {
  const Scenario& scenario = *mutant.scenario;
  interleave::EngineRules rules;
  const std::unique_ptr<interleave::Strategy> strategy = StrategyOf(mutant);
  const std::optional<Catch> caught =
      Hunt(scenario, kSeed, {.strategy = strategy.get(), .rules = &rules});
  if (!caught) return Expect(false, "with the engine's rules it is not found");
  if (mutant.rule.empty()) {
    return Expect(caught->detector == mutant.detector, "a rule spoke that should not");
  }
  const ExecutionOutcome& smallest = caught->smallest;
  const ExecutionOutcome without = Repeat(scenario, smallest.decisions, nullptr);
  std::printf("\nrule `%s`: schedule %lld, step %lld, %d preemptions; without rules %s\n%s\n",
              smallest.places.empty() ? "" : smallest.places[0].c_str(),
              static_cast<long long>(caught->schedules), static_cast<long long>(smallest.steps),
              caught->preemptions,
              without.ok() ? "that schedule passes"
                           : ("it ends at step " + std::to_string(without.steps)).c_str(),
              smallest.message.c_str());
  Expect(caught->detector == "invariant", "with the engine's rules another detector spoke");
  Expect(smallest.places == std::vector<std::string>{mutant.rule},
         "another rule than the row names spoke");
  Expect(smallest.steps < without.steps, "the rule spoke no earlier than the judge");
  ExpectSmall(scenario, *caught);
}

int MustDie(const Mutant& mutant) {
  const Scenario& scenario = *mutant.scenario;
  const std::unique_ptr<interleave::Strategy> strategy = StrategyOf(mutant);
  const std::optional<Catch> caught = Hunt(scenario, kSeed, {.strategy = strategy.get()});
  if (!caught) {
    std::printf("| %s | SURVIVED %lld schedules of seed %llu | | | | |\n", mutant.name.c_str(),
                static_cast<long long>(kMaxSchedules), static_cast<unsigned long long>(kSeed));
    return 1;
  }
  std::printf("%s\n\n%s\n\nthe smallest schedule ('>': another thread ran before):\n%s%s\n",
              MatrixRow(mutant.name, *caught).c_str(), caught->text.c_str(),
              FormatEvents(caught->smallest, caught->smallest.events.size()).c_str(),
              caught->smallest.message.c_str());
  Expect(caught->detector == mutant.detector, "another detector than the row names spoke");
  ExpectSmall(scenario, *caught);
  HuntByRules(mutant);
  return failures == 0 ? 0 : 1;
}

// ` MEDIAN, WORST |`, of what several seeds took.
void PrintSchedules(std::vector<int64_t> schedules) {
  std::sort(schedules.begin(), schedules.end());
  std::printf(" %lld, %lld |", static_cast<long long>(schedules[schedules.size() / 2]),
              static_cast<long long>(schedules.back()));
}

// For the children of Compare: the scenario, and how often it ran, in memory shared with the
// parent.
const Scenario* counted = nullptr;
volatile int64_t* runs = nullptr;

std::string CountRun() {
  *runs = *runs + 1;
  return counted->run();
}

// What it took to find a defect once.
struct Search {
  int64_t schedules = 0;
  double seconds = 0;  // of processor time
};

double SecondsOf(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// Runs until the defect is found, in a child process: a defect that corrupts memory may end the
// process, which counts as found.
Search SearchInAChild(const Scenario& scenario, std::string_view strategy_name, uint64_t seed) {
  *runs = 0;
  counted = &scenario;
  const pid_t child = fork();
  if (child == 0) {
    Scenario counting = scenario;
    counting.run = &CountRun;
    const auto strategy = interleave::MakeStrategy(strategy_name);
    *runs = SchedulesToFind(counting, seed, {.strategy = strategy->get()}).value_or(kMaxSchedules);
    _exit(0);
  }
  int status = 0;
  rusage used = {};
  wait4(child, &status, 0, &used);
  return {*runs, SecondsOf(used.ru_utime) + SecondsOf(used.ru_stime)};
}

// Prints median and worst over several seeds for each strategy, and the processor time for the
// default strategy. Exit status 1 if that time is more than allowed.
int Compare(const Mutant& mutant, int seeds) {
  runs = static_cast<int64_t*>(
      mmap(nullptr, sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (runs == MAP_FAILED || seeds < 1) return 1;
  std::printf("| %s |", mutant.name.c_str());
  std::fflush(stdout);  // or each child would have the line, too
  std::vector<double> seconds_by_default;
  for (const interleave::StrategyRow& row : interleave::Strategies()) {
    std::vector<int64_t> counts;
    std::vector<double> seconds;
    for (int seed = 1; seed <= seeds; ++seed) {
      const Search search = SearchInAChild(*mutant.scenario, row.name, static_cast<uint64_t>(seed));
      counts.push_back(search.schedules);
      seconds.push_back(search.seconds);
    }
    std::printf(" %s", row.name.data());
    PrintSchedules(std::move(counts));
    std::fflush(stdout);
    if (row.name == interleave::kDefaultStrategy) seconds_by_default = std::move(seconds);
  }
  std::printf("\n");
  return JudgeSpeed(mutant.name, interleave::kDefaultStrategy, std::move(seconds_by_default));
}

// Median and worst over several seeds, of schedules as a row. Exit status 1 if it took longer than
// allowed.
int TimeSeeds(const Mutant& mutant, int seeds) {
  constexpr uint64_t kApart = 1'000'000;  // more than the Programs of one hunt
  std::vector<double> seconds;
  std::vector<int64_t> schedules;
  for (int i = 0; i < seeds; ++i) {
    ProgramHunt hunt = mutant.programs.hunt;
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
  std::printf("| %s |", mutant.name.c_str());
  PrintSchedules(std::move(schedules));
  std::printf("\n");
  return JudgeSpeed(mutant.name, "Programs", std::move(seconds));
}

// Random Programs must find the mutant by the detector that its row names, with the engine's rules
// on and off, and the finding must be small and replay.
void HuntPrograms(const Mutant& mutant, bool check_state) {
  const std::string_view detector =
      check_state ? mutant.programs.detector : mutant.programs.without_rules;
  ProgramHunt hunt = mutant.programs.hunt;
  hunt.judge_calls = hunt.check_state = check_state;
  const std::optional<ProgramCatch> caught = HuntByPrograms(hunt);
  if (!caught) return Expect(false, "no Program finds it");
  const interleave::SmallFinding& small = caught->small;
  std::printf("%s\n\n", FindingText(mutant.name, hunt, *caught).c_str());
  Expect(caught->found == detector, "another detector spoke than is expected");
  Expect(small.run.detector == detector, "the smallest finding is another");
  Expect(caught->replays, "the smallest schedule does not replay from its text");
  Expect(small.preemptions <= kMaxPreemptions, "too many preemptions are left");
  Expect(caught->nodes <= kMaxNodes, "too many nodes are left");
}

int FindByPrograms(const Mutant& mutant) {
  HuntPrograms(mutant, /*check_state=*/true);
  if (!mutant.programs.without_rules.empty()) HuntPrograms(mutant, /*check_state=*/false);
  return failures == 0 ? 0 : 1;
}

int MustLive() {
  interleave::EngineRules rules;
  for (const Scenario& scenario : Scenarios()) {
    const std::optional<Catch> caught =
        Hunt(scenario, kSeed, {.max_schedules = kControlSchedules, .rules = &rules});
    if (caught) {
      std::printf("%s: the engine itself fails\n%s\n", scenario.name.data(), caught->text.c_str());
      return 1;
    }
    std::printf("%s: %lld schedules, nothing found\n", scenario.name.data(),
                static_cast<long long>(kControlSchedules));
  }
  return 0;
}

int Main(std::string_view mode, absl::Span<const std::string_view> row) {
  const absl::StatusOr<Mutant> mutant = ParseMutant(row);
  if (!mutant.ok()) {
    std::fprintf(stderr, "%s\n", std::string(mutant.status().message()).c_str());
    return 2;
  }
  if (!CheckPlanted(mutant->name)) return 2;
  if (mode == "control") return MustLive();
  const char* seeds = std::getenv("TWINGRAD_COMPARE_SEEDS");
  if (mode == "programs") {
    return seeds != nullptr ? TimeSeeds(*mutant, std::atoi(seeds)) : FindByPrograms(*mutant);
  }
  if (mode != "scenario" || mutant->scenario == nullptr) return 2;
  return seeds != nullptr ? Compare(*mutant, std::atoi(seeds)) : MustDie(*mutant);
}

}  // namespace
}  // namespace twingrad::mutants

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s scenario|programs|control NAME KEY=VALUE...\n", argv[0]);
    return 2;
  }
  return twingrad::mutants::Main(argv[1], std::vector<std::string_view>(argv + 2, argv + argc));
}
