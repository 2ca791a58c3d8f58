#include "tools/oracle/files.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <vector>

#include <unistd.h>

#include "absl/strings/str_cat.h"

namespace twingrad::oracle {
namespace fs = std::filesystem;
namespace {

constexpr size_t kMaxInput = size_t{16} << 20;

absl::Status FileError(std::string_view what, std::string_view path, std::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("[oracle] cannot ", what, " ", path, " (", why,
                                                 "); allowed is a path that this user may ", what,
                                                 "; check the path"));
}

}  // namespace

std::string ResolvePath(std::string_view path) {
  if (path == "-") return "-";
  fs::path resolved{std::string(path)};
  if (resolved.is_relative()) {
    const char* typed_in = std::getenv("BUILD_WORKING_DIRECTORY");
    std::error_code error;
    const fs::path base = typed_in != nullptr ? fs::path(typed_in) : fs::current_path(error);
    resolved = base / resolved;
  }
  return resolved.lexically_normal().string();
}

absl::StatusOr<std::string> ReadInput(const std::string& path) {
  std::ifstream file;
  if (path != "-") {
    std::error_code error;
    if (fs::is_directory(path, error)) return FileError("read", path, "it is a folder");
    file.open(path, std::ios::binary);
    if (!file) return FileError("read", path, std::strerror(errno));
  }
  std::istream& input = path == "-" ? std::cin : file;
  std::string text;
  // In pieces, and no more than is allowed: what is read may have no size, or no end.
  std::string piece(size_t{1} << 16, '\0');
  while (text.size() <= kMaxInput && input) {
    input.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    text.append(piece, 0, static_cast<size_t>(input.gcount()));
  }
  if (input.bad()) return FileError("read", path, "reading it failed");
  if (text.size() > kMaxInput) {
    return absl::InvalidArgumentError(absl::StrCat("[oracle] ", path, " has more than ", kMaxInput,
                                                   " bytes, which is what is allowed; give a "
                                                   "smaller Program"));
  }
  return text;
}

absl::Status WriteFile(const std::string& path, std::string_view contents) {
  const std::string partial = absl::StrCat(path, ".partial-", getpid());
  std::ofstream file(partial, std::ios::binary | std::ios::trunc);
  file.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  file.close();
  std::error_code error;
  if (!file) {
    const std::string why = std::strerror(errno);
    fs::remove(partial, error);
    return FileError("write", path, why);
  }
  fs::rename(partial, path, error);
  if (error) return FileError("write", path, error.message());
  return absl::OkStatus();
}

absl::Status AppendFile(const std::string& path, std::string_view contents) {
  std::ofstream file(path, std::ios::binary | std::ios::app);
  file.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  file.close();
  return file ? absl::OkStatus() : FileError("write", path, std::strerror(errno));
}

absl::StatusOr<std::string> WriteFolder(const std::string& path,
                                        const std::map<std::string, std::string>& files) {
  const fs::path target(path);
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  if (error) return FileError("write", target.parent_path().string(), error.message());
  const fs::path partial =
      target.parent_path() / absl::StrCat(".", target.filename().string(), ".partial-", getpid());
  fs::create_directory(partial, error);
  if (error) return FileError("write", partial.string(), error.message());
  for (const auto& [name, contents] : files) {
    if (absl::Status status = WriteFile((partial / name).string(), contents); !status.ok()) {
      fs::remove_all(partial, error);
      return status;
    }
  }
  // rename() replaces an empty folder but never one with files in it.
  for (int n = 1;; ++n) {
    const std::string name = n == 1 ? path : absl::StrCat(path, "-", n);
    fs::rename(partial, name, error);
    if (!error) return name;
    if (!fs::exists(name)) {
      const std::string why = error.message();
      fs::remove_all(partial, error);
      return FileError("write", name, why);
    }
  }
}

absl::Status CheckFolderFor(const std::string& path) {
  // By making one: permissions alone do not tell, of folders of the kernel for one.
  std::vector<fs::path> made;
  std::error_code error;
  for (fs::path folder(path); !fs::exists(folder, error) && folder.has_relative_path();
       folder = folder.parent_path()) {
    made.push_back(folder);
  }
  const fs::path probe = fs::path(path) / absl::StrCat(".probe-", getpid());
  std::error_code failure;
  // Another process that does the same may take the folder away again, once or twice.
  for (int i = 0; i < 3; ++i) {
    if (fs::create_directories(probe, failure) || !failure) break;
  }
  fs::remove(probe, error);
  // The innermost first, and only what is empty: others may use it by now.
  for (const fs::path& folder : made) fs::remove(folder, error);
  return failure ? FileError("write", path, failure.message()) : absl::OkStatus();
}

absl::StatusOr<TemporaryFolder> TemporaryFolder::Make(std::string_view name) {
  std::error_code error;
  fs::path parent = fs::temp_directory_path(error);
  if (error) parent = "/tmp";
  std::string pattern = (parent / absl::StrCat(name, "-XXXXXX")).string();
  if (mkdtemp(pattern.data()) == nullptr) {
    return FileError("write", parent.string(), std::strerror(errno));
  }
  return TemporaryFolder(pattern);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace twingrad::oracle
