// Entries of golden/schedules: a Program, one interleaving of it, and what that must show.
//
// An entry is a file `golden/schedules/ID.twin` that begins with three comment lines, `# id: ...`,
// `# reason: ...` and `# shows: ...`, and beside it `ID.schedule`, the decisions
// (proptests/interleave/checker/schedule_file.h). What it shows is the order in which nodes began
// to be evaluated, call by call, whose `.grad` is defined in the end, and the error:
//
//   %z %l %x.grad | root %y; grad %x; error hook
//
// Of a Program with thread sections also the errors that it survived, by the index of the
// statement, and what hooks read (`; survived freed at 3; hooks 6 12`), and of a schedule that
// stops the engine, beside which call (`; stopped beside 3`).
//
// Decisions hold no site, as sites move with every line of the sources; kind and number of
// alternatives of each are checked. An engine that takes other steps asks for other decisions:
// RecordSchedule finds some under which the Program shows the same.
//
// Only compiled against the model.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "autograd/program/program.h"
#include "proptests/interleave/checker/schedule_file.h"
#include "proptests/interleave/engine/program_run.h"

namespace twingrad::golden {

struct ScheduleEntry {
  std::string path;
  std::string id;
  std::string reason;
  std::string shows;
  program::Program program;
};

// Reads one entry. `path` must end in ID.twin with the id that the text names.
absl::StatusOr<ScheduleEntry> ParseScheduleEntry(std::string_view path, std::string_view text);
// All entries of the folder, by path. Each must have its schedule, each schedule its entry.
absl::StatusOr<std::vector<ScheduleEntry>> LoadScheduleEntries(const std::string& folder);
// Where the decisions of the entry stand.
std::string SchedulePath(const ScheduleEntry& entry);

// What a run has shown, as an entry says it.
std::string ShowsOf(const program::Program& program, const interleave::ProgramRun& run);

// Follows the schedule decision by decision. An error: it is not the Program's, the engine asks for
// other decisions, a detector speaks, or the run shows something else.
absl::Status ReplaySchedule(const ScheduleEntry& entry, const interleave::ScheduleFile& schedule);
// Looks for a schedule under which the Program shows what the entry says, and makes it small.
absl::StatusOr<interleave::ScheduleFile> RecordSchedule(const ScheduleEntry& entry,
                                                        int schedules = 50'000);
// How many of the schedules show what: for who writes an entry.
std::map<std::string, int> AllShown(const program::Program& program, int schedules);

}  // namespace twingrad::golden
