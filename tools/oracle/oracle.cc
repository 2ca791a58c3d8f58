#include "tools/oracle/oracle.h"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "proptests/workers/files.h"
#include "tools/oracle/verb.h"

namespace twingrad::oracle {
namespace {

const VerbSpec kVerbs[] = {
    kCheck,        kExplore,     kRun,           kExplain,          kGenerate,
    kReplay,       kDoctor,      kConform,       kCampaignRunLocal, kCampaignPlan,
    kCampaignWork, kCampaignRun, kCampaignMerge, kCampaignStatus,   kWorker};

absl::StatusOr<int> Dispatch(const Arguments& arguments,
                             const subjects::SubjectFactory& make_subject) {
  if (arguments.help) {
    absl::PrintF("%s", arguments.verb != nullptr ? VerbHelp(*arguments.verb) : ToolHelp(kVerbs));
    return kNothingFound;
  }
  if (arguments.verb->run == nullptr) return arguments.verb->run_maker(arguments, make_subject);
  const auto subject = SubjectOf(arguments, make_subject);
  if (!subject.ok()) return subject.status();
  return arguments.verb->run(arguments, **subject);
}

}  // namespace

absl::Span<const VerbSpec> Verbs() { return kVerbs; }

bool NeedsModel(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const absl::StatusOr<Arguments> arguments = ParseArguments(Verbs(), words);
  if (!arguments.ok() || arguments->help || arguments->verb == nullptr) return false;
  if (arguments->verb->name == kExplore.name) return true;
  if (arguments->verb->name == kCampaignRun.name) return RunsExplore(*arguments);
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
