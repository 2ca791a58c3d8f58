#include "proptests/findings/snippet.h"

#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proptests/workers/files.h"
#include "proptests/workers/repository_files.h"

extern char** environ;

namespace twingrad::findings {
namespace {

constexpr char kScript[] = "tools/adapters/python/snippet.py";

// Runs the command with standard output to a file; true if it succeeded.
bool RunInto(const std::string& output, std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return false;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status == 0;
}

}  // namespace

std::string RenderSnippet(std::string_view program) {
  const std::optional<std::string> top = workers::FindTop(kScript);
  if (!top) return "";
  absl::StatusOr<workers::TemporaryFolder> folder =
      workers::TemporaryFolder::Make("oracle-snippet");
  if (!folder.ok()) return "";
  const std::string input = absl::StrCat(folder->path(), "/program.txt");
  const std::string output = absl::StrCat(folder->path(), "/snippet.py");
  if (!workers::WriteFile(input, program).ok()) return "";
  // Writes no bytecode: the script's folder may belong to somebody else.
  if (!RunInto(output, {"env", "PYTHONPATH=" + *top, "python3", "-B", *top + "/" + kScript, input}))
    return "";
  absl::StatusOr<std::string> text = workers::ReadInput(output);
  if (!text.ok() || !absl::StartsWith(*text, "import ")) return "";
  return *std::move(text);
}

}  // namespace twingrad::findings
