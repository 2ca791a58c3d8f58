#include "tools/golden/entry.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "autograd/program/opcode.h"
#include "autograd/program/parse.h"

namespace twingrad::golden {
namespace {

namespace fs = std::filesystem;

absl::Status Fault(std::string_view path, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("[golden] ", path, ": ", what));
}

std::string IndexLine(const Entry& entry) {
  return absl::StrCat(entry.id, " | ", entry.origin, " | ", entry.reason);
}

}  // namespace

absl::StatusOr<Entry> ParseEntry(std::string_view path, std::string_view text) {
  Entry entry;
  entry.path = std::string(path);
  const std::vector<std::string_view> lines = absl::StrSplit(text, absl::MaxSplits('\n', 3));
  std::string* const fields[] = {&entry.id, &entry.origin, &entry.reason};
  const std::string_view names[] = {"# id: ", "# origin: ", "# reason: "};
  for (size_t i = 0; i < 3; ++i) {
    std::string_view line = i < lines.size() ? lines[i] : std::string_view();
    if (!absl::ConsumePrefix(&line, names[i]) || line.empty() || absl::StrContains(line, " | ")) {
      return Fault(path, absl::StrCat("line ", i + 1, " must be `", names[i],
                                      "...`, not empty and without ` | `"));
    }
    *fields[i] = std::string(line);
  }
  if (fs::path(std::string(path)).stem().string() != entry.id) {
    return Fault(path, absl::StrCat("its id is ", entry.id, "; name the file ", entry.id, ".twin"));
  }
  absl::StatusOr<twingrad::program::Program> program = twingrad::program::Parse(text);
  if (!program.ok()) return Fault(path, program.status().message());
  entry.program = *std::move(program);
  const auto& statements = entry.program.statements;
  if (std::none_of(statements.begin(), statements.end(), [](const auto& statement) {
        return statement.op == twingrad::program::Opcode::kExpect;
      })) {
    return Fault(path, "it expects nothing; add an expect statement");
  }
  return entry;
}

absl::StatusOr<std::vector<Entry>> LoadEntries(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; it != end; it.increment(error)) {
    if (it->path().extension() == ".twin") paths.push_back(it->path().string());
  }
  if (error) return Fault(folder, error.message());
  std::sort(paths.begin(), paths.end());
  std::vector<Entry> entries;
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    absl::StatusOr<Entry> entry = ParseEntry(path, text);
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

}  // namespace twingrad::golden
