// Runs one scenario on real threads, again and again: `<binary> <name> [seconds]`, 10 without.
//
// What it finds within that time, plain testing would have found. A run that does not end within 5
// seconds counts as found. Exit status 0 if nothing was found.

#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "autograd/sync/clock.h"
#include "proptests/mutants/interleave/scenarios.h"

namespace {

constexpr unsigned kHangSeconds = 5;

void ReportHang(int) {
  constexpr char kText[] = "FOUND by plain threads: a run does not end\n";
  _exit(write(STDOUT_FILENO, kText, sizeof(kText) - 1) < 0 ? 3 : 1);
}

}  // namespace

int main(int argc, char** argv) {
  const auto* scenario = argc > 1 ? twingrad::mutants::FindScenario(argv[1]) : nullptr;
  if (scenario == nullptr) {
    std::fprintf(stderr, "usage: %s NAME [SECONDS]\n", argv[0]);
    return 2;
  }
  const int seconds = argc > 2 ? std::atoi(argv[2]) : 10;
  std::signal(SIGALRM, &ReportHang);
  const auto end = autograd::sync::Now() + std::chrono::seconds(seconds);
  long runs = 0;
  for (; autograd::sync::Now() < end; ++runs) {
    alarm(kHangSeconds);
    if (const std::string wrong = scenario->run(); !wrong.empty()) {
      std::printf("FOUND by plain threads in run %ld: %s\n", runs, wrong.c_str());
      return 1;
    }
  }
  std::printf("%s: %ld runs on real threads in %d s, nothing found\n", argv[1], runs, seconds);
  return 0;
}
