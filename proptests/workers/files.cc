#include "proptests/workers/files.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace twingrad::workers {
namespace fs = std::filesystem;
namespace {

constexpr char kWorkspace[] = "twingrad";  // as in WORKSPACE

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

std::string ThisExecutable() {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
  return std::string(path, size > 0 ? static_cast<size_t>(size) : 0);
}

std::vector<std::string> Tops(std::string_view executable) {
  std::vector<std::string> tops = {"."};
  if (executable.empty()) return tops;
  tops.push_back(absl::StrCat(executable, ".runfiles/", kWorkspace));
  for (size_t end = executable.rfind('/'); end != std::string_view::npos && end > 0;
       end = executable.rfind('/', end - 1)) {
    tops.emplace_back(executable.substr(0, end));
  }
  return tops;
}

std::optional<std::string> FindTop(std::string_view path) {
  for (const std::string& top : Tops(ThisExecutable())) {
    if (access(absl::StrCat(top, "/", path).c_str(), F_OK) == 0) return top;
  }
  return std::nullopt;
}

std::string Locate(std::string_view path) {
  const std::optional<std::string> top = FindTop(path);
  return top && *top != "." ? absl::StrCat(*top, "/", path) : std::string(path);
}

std::string ShellWord(std::string_view text) {
  constexpr std::string_view kPlain = "%+,-./:=@_";
  const auto plain = [&](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           kPlain.find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return std::string(text);
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

void HoldStandardStreams() {
  // The lowest free number is what open() gives; the last one opened is none of the three.
  int fd = 0;
  while (fd >= 0 && fd <= STDERR_FILENO) fd = open("/dev/null", O_RDWR);
  if (fd >= 0) close(fd);
}

absl::Status FlushOutput() {
  const bool flushed = std::fflush(stdout) == 0;
  const char* why = flushed ? "an earlier write failed" : std::strerror(errno);
  if (flushed && std::ferror(stdout) == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("[oracle] cannot write standard output (", why,
                   "); needed is a place that takes all of it; check where it goes"));
}

absl::Status RoomFor(uint64_t bytes, const std::string& folder) {
  struct statvfs room = {};
  // Some file systems do not tell their size.
  if (statvfs(folder.c_str(), &room) != 0 || room.f_blocks == 0) return absl::OkStatus();
  const uint64_t free_blocks = room.f_bavail;
  if (free_blocks >= bytes / room.f_frsize + 1) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(
      "[oracle] ", folder, " has ", (free_blocks * room.f_frsize) >> 20, " MiB free; needed are ",
      (bytes >> 20) + 1, " MiB; make room there, or set TMPDIR to another folder"));
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
  std::error_code error;
  const fs::file_status old = fs::status(path, error);
  // A device or a pipe is written to, and a file that a link leads to: none of them is replaced.
  if (fs::exists(old) && !fs::is_regular_file(old)) return AppendFile(path, contents);
  const fs::path target = fs::exists(old) ? fs::canonical(path, error) : fs::path(path);
  const std::string partial = absl::StrCat(target.string(), ".partial-", getpid());
  std::ofstream file(partial, std::ios::binary | std::ios::trunc);
  file.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  file.close();
  if (!file) {
    const std::string why = std::strerror(errno);
    fs::remove(partial, error);
    return FileError("write", path, why);
  }
  fs::rename(partial, target, error);
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

}  // namespace twingrad::workers
