#include "tools/golden/entry.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "autograd/program/observation_text.h"
#include "autograd/program/opcode.h"
#include "proptests/oracles/expect.h"
#include "tools/golden/entry_text.h"

namespace twingrad::golden {
namespace {

namespace fs = std::filesystem;

std::string IndexLine(const Entry& entry) {
  return absl::StrCat(entry.id, " | ", entry.origin, " | ", entry.reason);
}

}  // namespace

absl::StatusOr<Entry> ParseEntry(std::string_view path, std::string_view text) {
  Entry entry;
  entry.path = std::string(path);
  absl::StatusOr<program::Program> program =
      ParseHeaded(entry.path, text,
                  {{"id", &entry.id}, {"origin", &entry.origin}, {"reason", &entry.reason}}, true);
  if (!program.ok()) return program.status();
  entry.program = *std::move(program);
  const auto& statements = entry.program.statements;
  if (std::none_of(statements.begin(), statements.end(), [](const auto& statement) {
        return statement.op == program::Opcode::kExpect;
      })) {
    return Fault(path, "it expects nothing; add an expect statement");
  }
  return entry;
}

absl::StatusOr<std::vector<Entry>> LoadEntries(const std::string& folder) {
  const auto paths = FilesBelow(folder, ".twin");
  if (!paths.ok()) return paths.status();
  std::vector<Entry> entries;
  for (const fs::path& path : *paths) {
    absl::StatusOr<Entry> entry = ParseEntry(path.string(), ReadText(path));
    if (!entry.ok()) return entry.status();
    entries.push_back(*std::move(entry));
  }
  return entries;
}

absl::Status CheckIndex(std::string_view index, const std::vector<Entry>& entries) {
  std::map<std::string, std::string> lines;  // by id
  for (const std::string_view line : absl::StrSplit(index, '\n', absl::SkipEmpty())) {
    if (absl::StartsWith(line, "#")) continue;
    const std::vector<std::string> fields = absl::StrSplit(line, " | ");
    if (fields.size() != 3) {
      return Fault("INDEX", absl::StrCat("not of the form `id | origin | reason`: ", line));
    }
    if (!lines.emplace(fields[0], line).second) {
      return Fault("INDEX", absl::StrCat("the id ", fields[0], " stands twice"));
    }
  }
  for (const Entry& entry : entries) {
    const auto it = lines.find(entry.id);
    if (it == lines.end()) {
      return Fault("INDEX", absl::StrCat("it lacks the line\n", IndexLine(entry)));
    }
    if (it->second != IndexLine(entry)) {
      return Fault("INDEX",
                   absl::StrCat("the line\n", it->second, "\nmust be\n", IndexLine(entry)));
    }
    lines.erase(it);
  }
  for (const auto& [id, line] : lines) {
    if (!absl::StrContains(line, " | removed | ")) {
      return Fault("INDEX", absl::StrCat("there is no entry ", id, "; restore it, or write `", id,
                                         " | removed | ` and why"));
    }
  }
  return absl::OkStatus();
}

std::string Complaint(const Entry& entry, const program::Observation& observation,
                      const std::string& by) {
  std::string text;
  for (const auto& unmet : oracles::UnmetExpectations(entry.program, observation)) {
    absl::StrAppend(&text, "  ", unmet.text, "\n");
  }
  if (text.empty()) return text;
  return absl::StrCat(entry.path, ", run by ", by, ":\n", text,
                      program::PrintObservation(entry.program, observation),
                      "replay: tools/bazel run //tools/oracle -- run ", entry.path, "\n");
}

}  // namespace twingrad::golden
