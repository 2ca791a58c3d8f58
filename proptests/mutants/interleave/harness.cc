// The main function of interleaving mutants: `<test> <name> must_die|must_live`.
//
// A mutant must be found by the detector that its scenario names, replay, and shrink to at most
// kMaxPreemptions preemptions and kMaxNodes nodes; a control must not be found. Prints a row of the
// kill matrix and the events of the smallest schedule. Exit status 0 as expected, 1 otherwise.

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "proptests/interleave/outcome.h"
#include "proptests/mutants/interleave/hunt.h"
#include "proptests/mutants/interleave/scenarios.h"

namespace twingrad::mutants {
namespace {

constexpr uint64_t kSeed = 1;
constexpr int64_t kControlSchedules = 20'000;

int MustDie(const Scenario& scenario) {
  const std::optional<Catch> caught = Hunt(scenario, kSeed);
  if (!caught) {
    std::printf("| %s | SURVIVED %lld schedules of seed %llu | | | | |\n", scenario.name.data(),
                static_cast<long long>(kMaxSchedules), static_cast<unsigned long long>(kSeed));
    return 1;
  }
  std::printf("%s\n\n%s\n\nthe smallest schedule ('>': another thread ran before):\n%s%s\n",
              MatrixRow(scenario, *caught).c_str(), caught->text.c_str(),
              FormatEvents(caught->smallest, caught->smallest.events.size()).c_str(),
              caught->smallest.message.c_str());
  int failures = 0;
  const auto expect = [&failures](bool holds, const char* what) {
    if (holds) return;
    std::printf("WRONG: %s\n", what);
    ++failures;
  };
  expect(caught->detector == scenario.detector, "another detector than the scenario names spoke");
  expect(caught->replays, "the smallest schedule does not replay decision by decision");
  expect(caught->preemptions <= kMaxPreemptions, "the smallest schedule has too many preemptions");
  expect(scenario.nodes <= kMaxNodes, "the scenario has too many nodes");
  return failures == 0 ? 0 : 1;
}

int MustLive() {
  for (const Scenario& scenario : Scenarios()) {
    const std::optional<Catch> caught = Hunt(scenario, kSeed, kControlSchedules);
    if (caught) {
      std::printf("%s: the engine itself fails\n%s\n", scenario.name.data(), caught->text.c_str());
      return 1;
    }
    std::printf("%s: %lld schedules, nothing found\n", scenario.name.data(),
                static_cast<long long>(kControlSchedules));
  }
  return 0;
}

}  // namespace
}  // namespace twingrad::mutants

int main(int argc, char** argv) {
  using twingrad::mutants::FindScenario;
  if (argc == 3 && std::string_view(argv[2]) == "must_live") return twingrad::mutants::MustLive();
  const auto* scenario = argc == 3 ? FindScenario(argv[1]) : nullptr;
  if (scenario == nullptr || std::string_view(argv[2]) != "must_die") {
    std::fprintf(stderr, "usage: %s NAME must_die|must_live\n", argv[0]);
    return 2;
  }
  return twingrad::mutants::MustDie(*scenario);
}
