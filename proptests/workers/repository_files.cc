#include "proptests/workers/repository_files.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"

namespace twingrad::workers {
namespace {

constexpr char kWorkspace[] = "twingrad";  // as in WORKSPACE

}  // namespace

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

}  // namespace twingrad::workers
