// Looks for one defect without the checker: `<binary> SCENARIO [SECONDS]`, 10 without.
//
// First its scenario on real threads, again and again; a run that does not end within 5 seconds
// counts as found. Then random Programs on one thread, compared with the twin, as `oracle check`
// does. Exit status 0 if nothing was found.

#include <unistd.h>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "autograd/sync/clock.h"
#include "proptests/generators/generate.h"
#include "proptests/judge/judge.h"
#include "proptests/mutants/concurrent/scenarios.h"

namespace twingrad::mutants {
namespace {

using sync::Now;
using sync::TimePoint;

constexpr unsigned kHangSeconds = 5;

void ReportHang(int) {
  constexpr char kText[] = "FOUND by plain threads: a run does not end\n";
  _exit(write(STDOUT_FILENO, kText, sizeof(kText) - 1) < 0 ? 3 : 1);
}

bool SurvivesThreads(const Scenario& scenario, TimePoint end) {
  std::signal(SIGALRM, &ReportHang);
  long runs = 0;
  for (; Now() < end; ++runs) {
    alarm(kHangSeconds);
    if (const std::string wrong = scenario.run(); !wrong.empty()) {
      std::printf("FOUND by plain threads in run %ld: %s\n", runs, wrong.c_str());
      return false;
    }
  }
  alarm(0);
  std::printf("| %s | %ld runs on real threads | ", scenario.name.data(), runs);
  return true;
}

bool SurvivesCheck(TimePoint end) {
  judge::JudgeOptions options;
  options.device_threads = {0};
  judge::Judge judge(options);
  uint64_t seed = 1;
  for (; Now() < end; ++seed) {
    if (const auto judgement = judge(generators::Generate(seed)); judgement.Failure() != nullptr) {
      std::printf("FOUND on one thread by Program %llu\n", static_cast<unsigned long long>(seed));
      return false;
    }
  }
  std::printf("%llu Programs on one thread | nothing found |\n",
              static_cast<unsigned long long>(seed - 1));
  return true;
}

int Main(int argc, char** argv) {
  const Scenario* scenario = argc > 1 ? FindScenario(argv[1]) : nullptr;
  if (scenario == nullptr) {
    std::fprintf(stderr, "usage: %s SCENARIO [SECONDS]\n", argv[0]);
    return 2;
  }
  const std::chrono::seconds time(argc > 2 ? std::atoi(argv[2]) : 10);
  return SurvivesThreads(*scenario, Now() + time) && SurvivesCheck(Now() + time) ? 0 : 1;
}

}  // namespace
}  // namespace twingrad::mutants

int main(int argc, char** argv) { return twingrad::mutants::Main(argc, argv); }
