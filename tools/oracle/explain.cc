// `oracle explain`: draws the graph of one Program.

#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "proptests/findings/rendering.h"
#include "proptests/workers/files.h"
#include "tools/oracle/verb.h"

namespace twingrad::oracle {

using subjects::Subject;
using workers::ResolvePath;
using workers::ShellWord;

namespace {

absl::StatusOr<int> Explain(const Arguments& arguments, Subject& subject) {
  if (absl::Status status = StartWithOperand(arguments, subject); !status.ok()) return status;
  std::string picture = subject.drawer().Draw({}, /*run_engine=*/true);
  std::optional<std::string> out = arguments.Path("out");
  if (out) out = ResolvePath(*out);
  if (absl::StatusOr<std::string> svg = findings::RenderSvg(picture); svg.ok()) {
    picture = *std::move(svg);
  } else {
    absl::FPrintF(stderr, "%s\n", svg.status().message());
    if (out) {
      const std::string name(absl::StripSuffix(*out, ".svg"));
      out = name + ".dot";
      absl::FPrintF(stderr, "[oracle] its source is in %s; `dot -Tsvg %s -o %s` draws it\n", *out,
                    ShellWord(*out), ShellWord(name + ".svg"));
    } else {
      absl::FPrintF(stderr,
                    "[oracle] its source follows in place of the picture; `dot -Tsvg` draws it\n");
    }
  }
  if (!out) {
    absl::PrintF("%s", picture);
  } else if (absl::Status status = workers::WriteFile(*out, picture); !status.ok()) {
    return status;
  }
  return kNothingFound;
}

constexpr FlagSpec kExplainFlags[] = {
    {"out", "FILE", FlagType::kPath, "standard output", "where the picture goes"}};

}  // namespace

constinit const VerbSpec kExplain = {
    .name = "explain",
    .operand = "FILE",
    .summary = "draws the graph of one Program as SVG, with dependency counts",
    .description = R"(
FILE holds a Program; `-` is standard input. Makes one drawing for each call of the engine.
Where graphviz is not installed, and for graphs of more than 500 nodes, which take it long, the
source for graphviz is written instead (with --out=NAME.svg to NAME.dot), and a line names the
command that draws it.
)",
    .flags = kExplainFlags,
    .examples = R"(
explain program.txt --out=graph.svg
)",
    .run = Explain,
};

}  // namespace twingrad::oracle
