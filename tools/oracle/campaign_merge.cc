// `oracle campaign merge` and `status`.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fuzz/campaign/merge.h"
#include "fuzz/campaign/plan.h"
#include "fuzz/campaign/reports.h"
#include "fuzz/campaign/results.h"
#include "fuzz/campaign/targets/corpora.h"
#include "nlohmann/json.hpp"
#include "proptests/workers/files.h"
#include "tools/oracle/campaign.h"
#include "tools/oracle/fuzz_job.h"
#include "tools/oracle/verb.h"

namespace twingrad::oracle {

using campaign::Job;
using campaign::Merged;
using campaign::MergedJob;
using workers::ResolvePath;

namespace {

// What the summary of `check` would say of all shards of a job together, and why that would fail
// although nothing was found: expected failures may explain too much.
void Summarise(const Job& job, const subjects::SubjectFactory& make, MergedJob* merged) {
  if (merged->programs == 0 || (job.verb != "check" && job.verb != campaign::kConformance)) return;
  const absl::StatusOr<Arguments> arguments = ArgumentsOf(job, 0);
  if (!arguments.ok()) return;
  const auto subject = SubjectOf(*arguments, make);
  if (!subject.ok()) return;
  const subjects::Reporter& reporter = (*subject)->reporter();
  merged->summary = reporter.Summarise(merged->counters, merged->notes);
  merged->objection = reporter.Objection(merged->counters, merged->notes);
}

absl::StatusOr<Merged> MergeAndSummarise(const std::string& folder,
                                         const subjects::SubjectFactory& make) {
  absl::StatusOr<Merged> merged = campaign::MergeShards(folder);
  if (!merged.ok()) return merged;
  for (size_t i = 0; i < merged->jobs.size(); ++i) {
    Summarise(merged->plan.jobs[i], make, &merged->jobs[i]);
  }
  return merged;
}

// Minimizes the corpora of all fuzz jobs; a line for each. What prevents it is a complaint.
std::string MergeAllCorpora(Merged& merged) {
  std::string text;
  for (uint32_t i = 0; i < merged.jobs.size(); ++i) {
    const Job& job = merged.plan.jobs[i];
    if (job.verb != campaign::kFuzz) continue;
    const absl::StatusOr<campaign::Target> target = TargetOf(job);
    const absl::StatusOr<uint64_t> left =
        target.ok() ? campaign::MergeCorpora(merged, i, *target) : target.status();
    if (!left.ok()) {
      merged.complaints.push_back(absl::StrCat(left.status().message(), "\n"));
    } else if (*left > 0) {
      absl::StrAppend(&text, "corpus         ", merged.folder, "/merged/corpora/", i + 1, ": ",
                      *left, " inputs\n");
    }
  }
  return text;
}

int CodeOf(const Merged& merged) {
  if (merged.missed()) return kUnknown;
  return merged.found() > 0 || merged.objects() ? kFound : kNothingFound;
}

absl::StatusOr<int> Merge(const Arguments& arguments, const subjects::SubjectFactory& make) {
  return MergeInto(FolderOf(arguments), make);
}

absl::StatusOr<int> Status(const Arguments& arguments, const subjects::SubjectFactory& make) {
  absl::StatusOr<Merged> merged = MergeAndSummarise(FolderOf(arguments), make);
  if (!merged.ok()) return merged.status();
  if (const auto file = arguments.Path("metrics")) {
    const absl::Status written =
        workers::WriteFile(ResolvePath(*file), campaign::StatusMetrics(*merged));
    if (!written.ok()) return written;
  }
  if (arguments.Has("json")) {
    absl::PrintF("%s\n", campaign::StatusJson(*merged).dump(
                             2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    absl::PrintF("%s", campaign::StatusText(*merged));
  }
  return CodeOf(*merged);
}

constexpr FlagSpec kStatusFlags[] = {
    {"json", "", FlagType::kSwitch, "text", "for programs"},
    {"metrics", "FILE", FlagType::kPath, "none", "writes a text file of Prometheus too"},
};

}  // namespace

absl::StatusOr<int> MergeInto(const std::string& folder, const subjects::SubjectFactory& make) {
  absl::StatusOr<Merged> merged = MergeAndSummarise(folder, make);
  if (!merged.ok()) return merged.status();
  const std::string out = folder + "/merged/";
  const std::string corpora = MergeAllCorpora(*merged);
  if (absl::Status status = campaign::WriteDatabase(*merged, out + "results.sqlite");
      !status.ok()) {
    return status;
  }
  if (absl::Status status = campaign::WritePage(*merged, out + "index.html"); !status.ok()) {
    return status;
  }
  if (absl::Status status = campaign::WriteReports(*merged, folder + "/merged"); !status.ok()) {
    return status;
  }
  absl::PrintF(
      "%spage           %sindex.html\ndatabase       %sresults.sqlite\n"
      "reports        %sfindings.sarif, %sjunit.xml%s\n%s",
      campaign::StatusText(*merged), out, out, out, out,
      merged->found() > 0 ? absl::StrCat("\nissues         ", out, "issues") : "", corpora);
  return CodeOf(*merged);
}

constinit const VerbSpec kCampaignMerge = {
    .name = "campaign merge",
    .operand = "DIR",
    .summary = "makes one page and one database of all shards",
    .description = R"(
Unites what the shards of the campaign in DIR have come to, at any time, also while they run:
findings with the same signature once, counts and coverage added. Writes anew to DIR/merged:
index.html, results.sqlite, findings.sarif, junit.xml, for each group of findings the text of an
issue in issues, and for each fuzz job its inputs, minimized, in corpora. Exit status 1: there
are findings, or expected failures explain too much; 4: a planted defect was missed, so the
campaign proves nothing.
)",
    .examples = R"(
campaign merge /shared/nightly
)",
    .run_maker = Merge,
};

constinit const VerbSpec kCampaignStatus = {
    .name = "campaign status",
    .operand = "DIR",
    .summary = "says how far a campaign is",
    .description = R"(
Prints what the shards of the campaign in DIR have come to, and writes nothing there. Exit
status as of `campaign merge`.
)",
    .flags = kStatusFlags,
    .examples = R"(
campaign status /shared/nightly
campaign status /shared/nightly --json
campaign status /shared/nightly --metrics=/var/lib/node_exporter/campaign.prom
)",
    .run_maker = Status,
};

}  // namespace twingrad::oracle
