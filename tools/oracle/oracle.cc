#include "tools/oracle/oracle.h"

#include <cstdio>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "proptests/workers/files.h"
#include "tools/oracle/check.h"
#include "tools/oracle/conform.h"
#include "tools/oracle/doctor.h"
#include "tools/oracle/explain.h"
#include "tools/oracle/generate.h"
#include "tools/oracle/replay.h"
#include "tools/oracle/run.h"
#include "tools/oracle/work.h"

namespace twingrad::oracle {
namespace {

constexpr VerbSpec kVerbs[] = {kCheck,  kExplore, kRun,     kExplain, kGenerate,
                               kReplay, kDoctor,  kConform, kWorker};
// In the same order.
constexpr RunVerb kRunVerbs[] = {Check,  Check,  Run,     Explain, Generate,
                                 Replay, Doctor, Conform, Work};
static_assert(std::size(kVerbs) == std::size(kRunVerbs));

absl::StatusOr<int> Dispatch(const Arguments& arguments,
                             const subjects::SubjectFactory& make_subject) {
  if (arguments.help) {
    absl::PrintF("%s", arguments.verb != nullptr ? VerbHelp(*arguments.verb) : ToolHelp(Verbs()));
    return kNothingFound;
  }
  return kRunVerbs[arguments.verb - kVerbs](arguments, make_subject);
}

}  // namespace

absl::Span<const VerbSpec> Verbs() { return kVerbs; }

bool NeedsModel(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const absl::StatusOr<Arguments> arguments = ParseArguments(Verbs(), words);
  if (!arguments.ok() || arguments->help || arguments->verb == nullptr) return false;
  if (arguments->verb->name == kExplore.name) return true;
  if (arguments->verb->name != kReplay.name) return false;
  return IsOfExplore(workers::ResolvePath(*arguments->operand));
}

int OracleMain(int argc, char** argv, const subjects::SubjectFactory& make_subject) {
  workers::HoldStandardStreams();
  const std::vector<std::string> words(argv + 1, argv + argc);
  absl::StatusOr<Arguments> arguments = ParseArguments(Verbs(), words);
  absl::StatusOr<int> code =
      arguments.ok() ? Dispatch(*arguments, make_subject) : arguments.status();
  if (absl::Status written = workers::FlushOutput(); !written.ok()) {
    absl::FPrintF(stderr, "%s\n", written.message());
    if (code.ok() && *code == kNothingFound) return kWrongUsage;
  }
  if (code.ok()) return *code;
  absl::FPrintF(stderr, "%s\n", code.status().message());
  return absl::IsUnavailable(code.status()) ? kCannotStart : kWrongUsage;
}

}  // namespace twingrad::oracle
