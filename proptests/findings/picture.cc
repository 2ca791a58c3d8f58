#include "proptests/findings/picture.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include "absl/strings/str_cat.h"
#include "proptests/workers/files.h"

extern char** environ;

namespace twingrad::findings {

namespace {

int NumNodes(std::string_view dot_source) {
  constexpr std::string_view kNode = " [label=";
  int nodes = 0;
  for (size_t at = dot_source.find(kNode); at != std::string_view::npos;
       at = dot_source.find(kNode, at + 1)) {
    ++nodes;
  }
  return nodes;
}

}  // namespace

absl::StatusOr<std::string> RenderSvg(std::string_view dot_source) {
  if (const int nodes = NumNodes(dot_source); nodes > kMaxDrawnNodes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "[oracle] no picture: `dot` takes long for a graph of ", nodes, " nodes; drawn are up to ",
        kMaxDrawnNodes, "; draw the .dot file by hand with `dot -Tsvg`"));
  }
  absl::StatusOr<workers::TemporaryFolder> folder =
      workers::TemporaryFolder::Make("oracle-picture");
  if (!folder.ok()) return folder.status();
  const std::string source = absl::StrCat(folder->path(), "/graph.dot");
  const std::string picture = absl::StrCat(folder->path(), "/graph.svg");
  if (absl::Status status = workers::WriteFile(source, dot_source); !status.ok()) return status;

  std::string words[] = {"dot", "-Tsvg", "-o", picture, source};
  char* argv[] = {words[0].data(), words[1].data(), words[2].data(),
                  words[3].data(), words[4].data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, "dot", &actions, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (error == 0) {
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (error != 0 || status != 0) {
    return absl::UnavailableError(absl::StrCat(
        "[oracle] no picture: `dot` ",
        error != 0 ? absl::StrCat("could not be run (", std::strerror(error), ")")
                   : absl::StrCat("ended with status ", status),
        "; needed is graphviz; install the package graphviz, or draw the .dot file elsewhere"));
  }
  return workers::ReadInput(picture);
}

}  // namespace twingrad::findings
