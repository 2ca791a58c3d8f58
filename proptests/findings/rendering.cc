#include "proptests/findings/rendering.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proptests/workers/files.h"
#include "proptests/workers/process.h"

namespace twingrad::findings {
namespace {

constexpr char kScript[] = "tools/adapters/python/snippet.py";

int NumNodes(std::string_view dot_source) {
  constexpr std::string_view kNode = " [label=";
  int nodes = 0;
  for (size_t at = dot_source.find(kNode); at != std::string_view::npos;
       at = dot_source.find(kNode, at + 1)) {
    ++nodes;
  }
  return nodes;
}

// What the command prints when it is given `text` as a file, its last argument. `*end` is how it
// ended, as RunInto has it.
absl::StatusOr<std::string> Filtered(std::string_view text, std::vector<std::string> command,
                                     absl::StatusOr<int>* end) {
  absl::StatusOr<workers::TemporaryFolder> folder =
      workers::TemporaryFolder::Make("oracle-rendering");
  if (!folder.ok()) return folder.status();
  const std::string output = absl::StrCat(folder->path(), "/output");
  command.push_back(absl::StrCat(folder->path(), "/input"));
  if (absl::Status status = workers::WriteFile(command.back(), text); !status.ok()) return status;
  *end = workers::RunInto(output, std::move(command));
  return workers::ReadInput(output);
}

}  // namespace

absl::StatusOr<std::string> RenderSvg(std::string_view dot_source) {
  if (const int nodes = NumNodes(dot_source); nodes > kMaxDrawnNodes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "[oracle] no picture: `dot` takes long for a graph of ", nodes, " nodes; drawn are up to ",
        kMaxDrawnNodes, "; draw the .dot file by hand with `dot -Tsvg`"));
  }
  absl::StatusOr<int> end = 0;
  absl::StatusOr<std::string> svg = Filtered(dot_source, {"dot", "-Tsvg"}, &end);
  if (end.ok() && *end == 0) return svg;
  return absl::UnavailableError(absl::StrCat(
      "[oracle] no picture: `dot` ",
      end.ok() ? absl::StrCat("ended with status ", *end)
               : absl::StrCat("could not be run (", end.status().message(), ")"),
      "; needed is graphviz; install the package graphviz, or draw the .dot file elsewhere"));
}

std::string RenderSnippet(std::string_view program) {
  const std::optional<std::string> top = workers::FindTop(kScript);
  if (!top) return "";
  absl::StatusOr<int> end = 0;
  // Writes no bytecode: the script's folder may belong to somebody else.
  absl::StatusOr<std::string> text =
      Filtered(program, {"env", "PYTHONPATH=" + *top, "python3", "-B", *top + "/" + kScript}, &end);
  if (!end.ok() || *end != 0 || !text.ok() || !absl::StartsWith(*text, "import ")) return "";
  return *std::move(text);
}

}  // namespace twingrad::findings
