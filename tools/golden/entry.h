// Entries of golden/programs: a Program, what it must show, and why it is kept.
//
// An entry is a file `golden/programs/AREA/ID.twin` that begins with the comment lines `# id: ...`,
// `# origin: ...` and `# reason: ...`; what it must show are its expect statements. golden/INDEX
// lists each as `id | origin | reason`. Ids are permanent: an entry that is taken out leaves its
// line behind with `removed` for an origin.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "autograd/program/observation.h"
#include "autograd/program/program.h"

namespace twingrad::golden {

struct Entry {
  std::string path;
  std::string id;
  std::string origin;
  std::string reason;
  program::Program program;
};

// Reads one entry. `path` must end in AREA/ID.twin with the id that the text names.
absl::StatusOr<Entry> ParseEntry(std::string_view path, std::string_view text);

// All entries below the folder, by path.
absl::StatusOr<std::vector<Entry>> LoadEntries(const std::string& folder);

// Whether the index names exactly these entries, each once; the message shows the line that is
// amiss.
absl::Status CheckIndex(std::string_view index, const std::vector<Entry>& entries);

// What a run of the entry misses, as text for a failed test: empty when all its expectations are
// met; `by` names what ran it.
std::string Complaint(const Entry& entry, const program::Observation& observation,
                      const std::string& by);

}  // namespace twingrad::golden
