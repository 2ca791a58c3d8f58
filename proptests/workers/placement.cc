#include "proptests/workers/placement.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include "absl/strings/numbers.h"
#include "proptests/workers/process.h"

namespace twingrad::workers {
namespace {

using std::chrono::steady_clock;

// A thread that ends meanwhile, and a system that refuses, change nothing but the speed.
void Place(const cpu_set_t& processors) {
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", error)) {
    pid_t id = 0;
    if (absl::SimpleAtoi(thread.path().filename().string(), &id)) {
      sched_setaffinity(id, sizeof(processors), &processors);
    }
  }
}

// Another one of these, if there is one.
int AnyBut(int processor, const cpu_set_t& processors, std::minstd_rand& chance) {
  std::vector<int> others;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (i != processor && CPU_ISSET(static_cast<unsigned>(i), &processors)) others.push_back(i);
  }
  return others.empty() ? processor : others[chance() % others.size()];
}

}  // namespace

Placement::Placement(Waited waited)
    : waited_(std::move(waited)), chance_(static_cast<unsigned>(getpid())) {
  if (sched_getaffinity(0, sizeof(all_), &all_) != 0) CPU_ZERO(&all_);
}

std::chrono::nanoseconds Placement::WaitedSoFar() {
  const Waits waits = WaitsForProcessor(getpid());
  const auto mine = waits.find(gettid());
  return mine != waits.end() ? mine->second : std::chrono::nanoseconds::zero();
}

void Placement::KeepTogether() {
  if (together_ || CPU_COUNT(&all_) < 2) return;
  // Who has to wait elsewhere as well moves on again: half of the time, so that two that got into
  // each other's way do not do so for ever.
  if (had_to_wait_ && chance_() % 2 == 0) processor_ = AnyBut(processor_, all_, chance_);
  if (processor_ < 0) processor_ = sched_getcpu();
  if (processor_ < 0) return;
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(static_cast<unsigned>(processor_), &here);
  Place(here);
  together_ = true;
  since_ = steady_clock::now();
  waited_before_ = waited_();
}

void Placement::LetGo() {
  if (!together_) return;
  had_to_wait_ = (waited_() - waited_before_) * 4 > steady_clock::now() - since_;
  Place(all_);
  together_ = false;
}

}  // namespace twingrad::workers
