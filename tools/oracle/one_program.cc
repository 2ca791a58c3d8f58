// Verbs of one Program: `oracle run` executes it, `oracle explain` draws it, `oracle generate`
// makes it.

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "proptests/findings/picture.h"
#include "proptests/workers/files.h"
#include "tools/oracle/verb.h"

namespace twingrad::oracle {

using subjects::Subject;
using workers::ResolvePath;
using workers::ShellWord;

namespace {

// Makes the Program in the verb's operand the current case, and starts the engine.
absl::Status StartWithOperand(const Arguments& arguments, Subject& subject) {
  absl::StatusOr<std::string> text = workers::ReadInput(ResolvePath(*arguments.operand));
  if (!text.ok()) return text.status();
  const std::string name = *arguments.operand == "-" ? "standard input" : *arguments.operand;
  if (absl::Status status = subject.source().Load(*text, name); !status.ok()) return status;
  return Start(subject);
}

absl::StatusOr<int> Run(const Arguments& arguments, Subject& subject) {
  if (absl::Status status = StartWithOperand(arguments, subject); !status.ok()) return status;
  if (subject.runner() == nullptr) {
    return absl::InvalidArgumentError(
        "[oracle] this program runs Programs under many schedules only; allowed is `explore`; for "
        "`run` start tools/oracle/oracle");
  }
  const subjects::Runner::Seen seen = subject.runner()->Run();
  absl::PrintF("%s", seen.text);
  return seen.all_met ? kNothingFound : kFound;
}

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

absl::StatusOr<int> Generate(const Arguments& arguments, Subject& subject) {
  if (arguments.Has("engine")) {
    if (absl::Status status = Start(subject); !status.ok()) return status;
  }
  std::optional<uint64_t> seed = arguments.Number("seed");
  if (!seed) {
    seed = FreshSeed();
    absl::FPrintF(stderr, "[oracle] seed %d\n", *seed);
  }
  absl::PrintF("%s", subject.source().Generate(*seed));
  return kNothingFound;
}

constexpr FlagSpec kRunFlags[] = {
    kEngine,
    // The repository's own engine runs in this process, where Ctrl-C is at hand.
    {"timeout", "TIME", FlagType::kDuration, "10s",
     "with --engine: a Program that runs longer is a hang"},
    {"memory", "SIZE", FlagType::kSize, "2G", "with --engine: one that grows beyond is a finding"},
};
constexpr FlagSpec kExplainFlags[] = {
    {"out", "FILE", FlagType::kPath, "standard output", "where the picture goes"}};
constexpr FlagSpec kGenerateFlags[] = {
    {"seed", "N", FlagType::kSeed, "a fresh one", "of the Program; findings name theirs"},
    kEngine,
    kFeatures,
    kOps,
    kElements,
    kRank,
};

}  // namespace

constinit const VerbSpec kRun = {
    .name = "run",
    .operand = "FILE",
    .summary = "executes one Program and prints its Observation",
    .description = R"(
FILE holds a Program; `-` is standard input. Prints every value and its .grad, and for each
call of the engine the nodes, the dependency counts and the order of execution; on the
repository's engine then the `expect` statements that are not met. Exit status 1: some are
not.
)",
    .flags = kRunFlags,
    .examples = R"(
run program.txt
run - < program.txt
)",
    .run = Run,
};

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

constinit const VerbSpec kGenerate = {
    .name = "generate",
    .summary = "prints a random Program",
    .description = R"(
Prints the Program that `check` makes of this seed with these flags. With --engine that engine
is started first: its Programs hold only what it claims to run.
)",
    .flags = kGenerateFlags,
    .examples = R"(
generate --seed=7
generate --ops=mul,sum
)",
    .run = Generate,
};

}  // namespace twingrad::oracle
