// Paths and files as the tool sees them.
//
// Relative paths start from where the command was typed, which under `bazel run` is not the working
// directory. Files and folders appear whole or not at all. Errors read `[oracle] ...; ...; ...`.
//
// Files of this repository (adapters, goldens, scripts) are found below the working directory by a
// program that `tools/bazel run` or a test has started. One started from anywhere else finds them
// from its own location: in the runfiles that Bazel puts beside it, or in a folder above it that is
// laid out as the repository is.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace twingrad::workers {

// `path` as an absolute path; `-` stays as it is.
std::string ResolvePath(std::string_view path);

// The folder below which `path` ("golden/programs") exists; nothing: it is nowhere.
std::optional<std::string> FindTop(std::string_view path);

// `path` where it exists, as given where it does not.
std::string Locate(std::string_view path);

// The file that this process executes; empty: unknown.
std::string ThisExecutable();

// Where FindTop looks, first to last.
std::vector<std::string> Tops(std::string_view executable);

// `text` as one word of a shell's command line, quoted where it must be.
std::string ShellWord(std::string_view text);

// Opens what is closed of standard input, output and error on /dev/null, so that nothing else gets
// their numbers.
void HoldStandardStreams();
// Writes out what standard output holds; an error if that, or anything before it, was lost.
absl::Status FlushOutput();

// An error unless `bytes` are free where `folder` lies.
absl::Status RoomFor(uint64_t bytes, const std::string& folder);

// The contents of a file, or of standard input for `-`; at most 16 MiB.
absl::StatusOr<std::string> ReadInput(const std::string& path);

// A device or a pipe is written to as it stands.
absl::Status WriteFile(const std::string& path, std::string_view contents);
// Makes the file where there is none.
absl::Status AppendFile(const std::string& path, std::string_view contents);

// Makes the folder `path` with these files in it (name to contents) by writing a temporary folder
// beside it and renaming that. When `path` exists, the first free of path-2, path-3, ... is taken.
// Returns the path.
absl::StatusOr<std::string> WriteFolder(const std::string& path,
                                        const std::map<std::string, std::string>& files);

// Whether WriteFolder may make folders in `path`; leaves nothing behind.
absl::Status CheckFolderFor(const std::string& path);

// A fresh private folder, removed with all it holds when this goes out of scope.
class TemporaryFolder {
 public:
  static absl::StatusOr<TemporaryFolder> Make(std::string_view name);
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace twingrad::workers
