#include "fuzz/campaign/targets/finding_folder.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "autograd/program/print.h"
#include "fuzz/campaign/signature.h"
#include "fuzz/campaign/targets/fuzzer_output.h"
#include "nlohmann/json.hpp"
#include "proptests/findings/finding.h"
#include "proptests/workers/files.h"

namespace twingrad::campaign {
namespace {

std::string Report(const TargetFinding& finding, const std::string& folder) {
  const std::string words = absl::StrJoin(Command(finding.target, {}), " ");
  std::string text = absl::StrCat(
      finding.failure.result.text, "\ntarget:  ", finding.target.program,
      "\nseed:    ", finding.failure.seed, " of libFuzzer, run ", finding.failure.index,
      " of the shard\nalone:   ", words, " ", workers::ShellWord(folder + "/program.txt"),
      "\nreplay:  ", findings::ReplayCommand(folder), "\n");
  if (!finding.repeats) {
    text += "note:    it did not show again in a fresh process, so the input is as found\n";
  }
  return absl::StrCat(text, "\n", Shown(finding.smallest));
}

}  // namespace

std::string TargetKind(const workers::CaseResult& result) {
  std::string kind = WithoutNames(result.text);
  while (!kind.empty() && kind.back() == '\n') kind.pop_back();
  return kind;
}

std::string TargetSignature(const workers::CaseResult& result) {
  return absl::StrFormat("%016x",
                         program::Fnv1a(absl::StrCat(result.oracle, "\n", TargetKind(result))));
}

absl::StatusOr<std::string> WriteTargetFinding(const TargetFinding& finding,
                                               const std::string& parent) {
  const std::string folder =
      absl::StrCat(parent, "/", finding.failure.result.oracle, "-", finding.signature);
  const nlohmann::json description = {{"version", 1},
                                      {"verb", "fuzz"},
                                      {"oracle", finding.failure.result.oracle},
                                      {"target", finding.target.program},
                                      {"arguments", absl::StrJoin(finding.target.arguments, " ")},
                                      {"seed", finding.failure.seed},
                                      {"index", finding.failure.index},
                                      {"campaign_seed", finding.seed},
                                      {"repeats", finding.repeats},
                                      {"timeout_ms", finding.target.timeout * 1000},
                                      {"memory_mib", finding.target.memory},
                                      {"text", finding.failure.result.text}};
  return workers::WriteFolder(
      folder, {{"program.txt", finding.smallest},
               {"original.txt", finding.input},
               {"report.txt", Report(finding, folder)},
               {"finding.json",
                description.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"}});
}

}  // namespace twingrad::campaign
