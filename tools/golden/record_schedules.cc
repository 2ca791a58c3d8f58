// Records the schedules of golden/schedules anew: `tools/bazel run
// //tools/golden:record_schedules`.
//
// Each entry's Program is explored until a schedule shows what the entry says; that schedule is
// made small and written beside it. With a file's name it lists what the schedules of that Program
// show.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "autograd/program/parse.h"
#include "proptests/interleave/strategies/forced_strategy.h"
#include "tools/golden/entry_text.h"
#include "tools/golden/schedule_entry.h"

namespace twingrad::golden {
namespace {

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}

int List(const std::string& path) {
  const auto program = twingrad::program::Parse(ReadText(path));
  if (!program.ok()) return Fail(program.status());
  for (const auto& [shows, count] : AllShown(*program, 20'000)) {
    std::printf("%7d  %s\n", count, shows.c_str());
  }
  return 0;
}

int RecordAll(const std::string& folder) {
  const auto entries = LoadScheduleEntries(folder);
  if (!entries.ok()) return Fail(entries.status());
  for (const ScheduleEntry& entry : *entries) {
    const auto schedule = RecordSchedule(entry);
    if (!schedule.ok()) return Fail(schedule.status());
    if (const absl::Status replays = ReplaySchedule(entry, *schedule); !replays.ok()) {
      return Fail(replays);
    }
    std::ofstream(SchedulePath(entry), std::ios::binary) << interleave::PrintSchedule(*schedule);
    std::printf("%s: %zu decisions, %d preemptions\n", entry.id.c_str(), schedule->decisions.size(),
                interleave::PreemptionsOf(schedule->decisions));
  }
  return 0;
}

}  // namespace
}  // namespace twingrad::golden

int main(int argc, char** argv) {
  const char* const root = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  const std::string prefix = root != nullptr ? std::string(root) + "/" : "";
  if (argc == 2) return twingrad::golden::List(argv[1][0] == '/' ? argv[1] : prefix + argv[1]);
  return twingrad::golden::RecordAll(prefix + "golden/schedules");
}
