// WritePage and the texts of results.h.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "fuzz/campaign/folder.h"
#include "fuzz/campaign/plan.h"
#include "fuzz/campaign/results.h"
#include "fuzz/campaign/shard_state.h"
#include "proptests/findings/finding.h"
#include "proptests/subjects/number_text.h"
#include "proptests/workers/files.h"

namespace twingrad::campaign {
namespace {

using nlohmann::json;
using subjects::WithSeparators;

constexpr std::string_view kPlace = "\"the data of a campaign\"";
// Curves of more shards are not drawn.
constexpr size_t kMostCurves = 200;

json PointsJson(const std::vector<Point>& points) {
  json list = json::array();
  const size_t step = points.size() / kMostPoints + 1;
  for (size_t i = 0; i < points.size(); i += step) {
    // The last point is never left out.
    const Point& point = points[i + step < points.size() ? i : points.size() - 1];
    list.push_back({point.seconds, point.programs, point.seen});
  }
  return list;
}

// The picture without the prologue that a whole file has.
std::string Picture(const std::string& svg) {
  const size_t begin = svg.find("<svg");
  return begin == std::string::npos ? "" : svg.substr(begin);
}

json FindingJson(const Merged& merged, const MergedFinding& finding) {
  const ShardFinding& best = finding.best;
  const Job& job = merged.plan.jobs[finding.job];
  const auto engine = job.flags.find("engine");
  return {{"signature", best.signature},
          {"rule", best.rule},
          {"text", best.text},
          {"program", best.program},
          {"seed", absl::StrCat(best.seed)},
          {"verb", job.verb},
          {"engine", engine == job.flags.end() ? "twingrad" : engine->second},
          {"shard", finding.shard},
          {"index", best.index},
          {"seconds", best.seconds},
          {"failures", finding.failures},
          {"shards", finding.shards.size()},
          {"programs", finding.programs.size()},
          {"planted", finding.planted},
          {"graph", Picture(FileOf(merged, best, "graph.svg"))},
          {"schedule", Picture(FileOf(merged, best, "schedule.svg"))},
          {"replay", findings::ReplayCommand(absl::StrCat(merged.folder, "/", best.folder))}};
}

json GroupJson(const FindingGroup& group) {
  return {{"signature", group.signature},  {"statements", group.coarse.statements},
          {"findings", group.findings},    {"failures", group.failures},
          {"shards", group.shards.size()}, {"planted", group.planted}};
}

// Of how much more there is to see.
std::string MoreText(double unseen) {
  return std::isnan(unseen) ? "too few shards to say how many more"
                            : absl::StrFormat("about %.0f more to see", unseen);
}

std::string FoundText(const Merged& merged) {
  if (merged.found() == 0) return "none";
  const uint64_t groups = merged.found_groups();
  return absl::StrCat(merged.found(), " in ", groups, groups == 1 ? " group" : " groups");
}

// The first finding of the group, and how many more there are.
std::string GroupText(const Merged& merged, const FindingGroup& group) {
  const ShardFinding& best = merged.findings[group.findings.front()].best;
  const std::string_view whole = best.text;
  const size_t variants = group.findings.size() - 1;
  return absl::StrFormat(
      "  %s  %s, in %d programs of %d shards%s\n    replay: %s\n", group.signature,
      whole.substr(0, whole.find('\n')), group.failures, group.shards.size(),
      variants == 0 ? "" : absl::StrCat(", ", variants, variants == 1 ? " variant" : " variants"),
      findings::ReplayCommand(absl::StrCat(merged.folder, "/", best.folder)));
}

}  // namespace

json StatusJson(const Merged& merged) {
  json jobs = json::array();
  for (size_t i = 0; i < merged.jobs.size(); ++i) {
    const MergedJob& job = merged.jobs[i];
    jobs.push_back({{"verb", merged.plan.jobs[i].verb},
                    {"flags", merged.plan.jobs[i].flags},
                    {"shards", job.shards},
                    {"done", job.done},
                    {"programs", job.programs},
                    {"failed", job.failed},
                    {"waiting", job.waiting},
                    {"seconds", job.seconds},
                    {"seen", job.seen},
                    {"unseen", job.unseen},
                    {"objection", job.objection}});
  }
  return {{"campaign", merged.plan.name},
          {"seed", merged.plan.seed},
          {"shards", merged.plan.shards},
          {"done", merged.done()},
          {"programs", merged.programs()},
          {"findings", merged.found()},
          {"groups", merged.found_groups()},
          {"proof", merged.Proof()},
          {"missed", merged.missed()},
          {"complaints", merged.complaints},
          {"jobs", jobs}};
}

std::string StatusText(const Merged& merged) {
  std::string text =
      absl::StrFormat("campaign       %s, seed %d\n", merged.plan.name, merged.plan.seed);
  absl::StrAppend(
      &text, "shards         ", merged.done(), " of ", merged.plan.shards, " done, ",
      std::ranges::count_if(merged.shards, [](const auto& s) { return s.epoch > 0 && !s.done; }),
      " begun\n");
  for (size_t i = 0; i < merged.jobs.size(); ++i) {
    const MergedJob& job = merged.jobs[i];
    const Job& planned = merged.plan.jobs[i];
    absl::StrAppendFormat(&text, "job %-11d%s%s: %s %s in %.0f s of a core, %s a second\n", i + 1,
                          planned.verb, FlagsText(planned), WithSeparators(job.programs),
                          planned.verb == kFuzz ? "runs" : "programs", job.seconds,
                          WithSeparators(static_cast<uint64_t>(static_cast<double>(job.programs) /
                                                               std::max(job.seconds, 1e-9))));
    absl::StrAppendFormat(&text, "  seen         %d %s, %s\n", job.seen,
                          planned.verb == kFuzz ? "edges" : "things", MoreText(job.unseen));
    absl::StrAppend(&text, job.objection);
    if (job.waiting > 0) {
      absl::StrAppendFormat(&text, "  waiting      %d failures to be minimized\n", job.waiting);
    }
  }
  absl::StrAppend(&text, "findings       ", FoundText(merged), "\n");
  for (const FindingGroup& group : merged.groups) {
    if (!group.planted) text += GroupText(merged, group);
  }
  absl::StrAppend(&text, "proof          ", merged.Proof(), "\n");
  for (const std::string& complaint : merged.complaints) text += complaint;
  return text;
}

std::string StatusMetrics(const Merged& merged) {
  std::string text;
  const std::string label = absl::StrCat("campaign=\"", merged.plan.name, "\"");
  const auto gauge = [&](std::string_view name, std::string_view help, auto value_of) {
    absl::StrAppend(&text, "# HELP twingrad_campaign_", name, " ", help,
                    "\n# TYPE twingrad_campaign_", name, " gauge\n");
    for (size_t i = 0; i < merged.jobs.size(); ++i) {
      absl::StrAppend(&text, "twingrad_campaign_", name, "{", label, ",job=\"", i + 1, "\",verb=\"",
                      merged.plan.jobs[i].verb, "\"} ", value_of(merged.jobs[i]), "\n");
    }
  };
  gauge("shards", "Shards of the job.", [](const MergedJob& job) { return job.shards; });
  gauge("shards_done", "Shards that are done.", [](const MergedJob& job) { return job.done; });
  gauge("programs", "Programs that were judged.",
        [](const MergedJob& job) { return job.programs; });
  gauge("failed", "Programs that failed.", [](const MergedJob& job) { return job.failed; });
  gauge("core_seconds", "Seconds of a core.", [](const MergedJob& job) { return job.seconds; });
  gauge("seen", "Distinct things seen.", [](const MergedJob& job) { return job.seen; });
  absl::StrAppend(&text,
                  "# HELP twingrad_campaign_findings Findings that are not planted.\n"
                  "# TYPE twingrad_campaign_findings gauge\ntwingrad_campaign_findings{",
                  label, "} ", merged.found(),
                  "\n# HELP twingrad_campaign_missed Whether a planted defect was missed.\n"
                  "# TYPE twingrad_campaign_missed gauge\ntwingrad_campaign_missed{",
                  label, "} ", merged.missed() ? 1 : 0, "\n");
  return text;
}

absl::Status WritePage(const Merged& merged, const std::string& path) {
  const std::string file = workers::Locate(kPageTemplate);
  absl::StatusOr<std::string> page = workers::ReadInput(file);
  if (!page.ok()) return page.status();
  const size_t place = page->find(kPlace);
  if (place == std::string::npos) {
    return Objection(absl::StrCat(file, " has no place for data"),
                     "needed is the page of this repository", "restore it");
  }
  json data = StatusJson(merged);
  for (size_t i = 0; i < merged.jobs.size(); ++i) {
    data["jobs"][i]["curve"] = PointsJson(merged.jobs[i].curve);
    data["jobs"][i]["summary"] = merged.jobs[i].summary;
  }
  json curves = json::array();
  for (const MergedShard& shard : merged.shards) {
    if (shard.curve.empty() || curves.size() >= kMostCurves) continue;
    curves.push_back({{"job", shard.job}, {"points", PointsJson(shard.curve)}});
  }
  data["shard_curves"] = curves;
  json canaries = json::array();
  for (const Canary& canary : merged.canaries) {
    canaries.push_back({{"shard", canary.shard},
                        {"defect", workers::DefectName(canary.defect)},
                        {"done", canary.done},
                        {"found", canary.found}});
  }
  data["canaries"] = canaries;
  data["found"] = json::array();
  for (const MergedFinding& finding : merged.findings) {
    data["found"].push_back(FindingJson(merged, finding));
  }
  data["rows"] = json::array();
  for (const FindingGroup& group : merged.groups) data["rows"].push_back(GroupJson(group));
  // Inside an element `script`, whose end nothing in the data may look like.
  const std::string text = absl::StrReplaceAll(
      data.dump(-1, ' ', false, json::error_handler_t::replace), {{"<", "\\u003c"}});
  page->replace(place, kPlace.size(), text);
  absl::StatusOr<workers::TemporaryFolder> local = workers::TemporaryFolder::Make("campaign-merge");
  if (!local.ok()) return local.status();
  const std::string made = local->path() + "/index.html";
  if (absl::Status status = workers::WriteFile(made, *page); !status.ok()) return status;
  return Publish(made, path);
}

}  // namespace twingrad::campaign
