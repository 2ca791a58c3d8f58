// What entries of golden are made of: a text file that begins with comment lines `# NAME: ...`,
// the first of which is its id, and is a Program.

#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "autograd/program/parse.h"
#include "autograd/program/program.h"

namespace twingrad::golden {

inline absl::Status Fault(std::string_view path, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("[golden] ", path, ": ", what));
}

// Empty where it cannot be read.
inline std::string ReadText(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The files below the folder with this extension, by path.
inline absl::StatusOr<std::vector<std::filesystem::path>> FilesBelow(const std::string& folder,
                                                                     std::string_view extension) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  std::filesystem::recursive_directory_iterator it(folder, error), end;
  for (; it != end; it.increment(error)) {
    if (it->path().extension() == extension) paths.push_back(it->path());
  }
  if (error) return Fault(folder, error.message());
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Fills in the fields, each from its line, and returns the Program. No field is empty or, with
// `in_index`, holds what separates the fields of the index; the id is the file's name.
inline absl::StatusOr<program::Program> ParseHeaded(
    const std::string& path, std::string_view text,
    const std::vector<std::pair<std::string_view, std::string*>>& fields, bool in_index) {
  const std::vector<std::string_view> lines =
      absl::StrSplit(text, absl::MaxSplits('\n', fields.size()));
  for (size_t i = 0; i < fields.size(); ++i) {
    std::string_view line = i < lines.size() ? lines[i] : std::string_view();
    const std::string name = absl::StrCat("# ", fields[i].first, ": ");
    if (!absl::ConsumePrefix(&line, name) || line.empty() ||
        (in_index && absl::StrContains(line, " | "))) {
      return Fault(path, absl::StrCat("line ", i + 1, " must be `", name, "...`, not empty",
                                      in_index ? " and without ` | `" : ""));
    }
    *fields[i].second = std::string(line);
  }
  const std::string& id = *fields[0].second;
  if (std::filesystem::path(path).stem().string() != id) {
    return Fault(path, absl::StrCat("its id is ", id, "; name the file ", id, ".twin"));
  }
  absl::StatusOr<program::Program> program = program::Parse(text);
  if (!program.ok()) return Fault(path, program.status().message());
  return program;
}

}  // namespace twingrad::golden
