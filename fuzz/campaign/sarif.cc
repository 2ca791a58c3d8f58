// SarifText of reports.h.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "fuzz/campaign/legible.h"
#include "fuzz/campaign/reports.h"
#include "nlohmann/json.hpp"
#include "proptests/findings/finding.h"

namespace twingrad::campaign {
namespace {

using nlohmann::json;

constexpr char kSchema[] =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr char kBase[] = "CAMPAIGN";

// Member by member: of an object with one, in braces, compilers make different things.
json Message(std::string_view text) {
  json message;
  message["text"] = Legible(text);
  return message;
}

std::string RuleText(std::string_view rule) {
  if (rule == "crash") return "The process that ran the Program ended.";
  if (rule == "hang") return "The Program did not end in time.";
  if (rule == "memory") return "The process took more memory than it may.";
  return absl::StrCat("What the engine shows differs from what the oracle `", rule, "` expects.");
}

// The line of program.txt with the statement of which the complaint speaks.
std::optional<int64_t> LineOfComplaint(const ShardFinding& finding) {
  constexpr std::string_view kStatement = "statement ";
  const std::string_view text = finding.text;
  const size_t at = text.substr(0, text.find('\n')).find(kStatement);
  if (at == std::string_view::npos || !absl::StartsWith(finding.program, "twingrad ")) {
    return std::nullopt;
  }
  const std::string_view rest = text.substr(at + kStatement.size());
  const auto* const end =
      std::ranges::find_if_not(rest, [](unsigned char c) { return absl::ascii_isdigit(c); });
  int64_t statement = 0;
  if (!absl::SimpleAtoi(rest.substr(0, static_cast<size_t>(end - rest.begin())), &statement)) {
    return std::nullopt;
  }
  const int64_t line = statement + 2;  // below the header, and counted from 1
  if (line > std::ranges::count(finding.program, '\n')) return std::nullopt;
  return line;
}

json Locations(const ShardFinding& finding) {
  if (finding.folder.empty()) return json::array();
  json location;
  json& place = location["physicalLocation"];
  place["artifactLocation"] = {{"uri", UriPath(absl::StrCat(finding.folder, "/program.txt"))},
                               {"uriBaseId", kBase}};
  if (const auto line = LineOfComplaint(finding)) place["region"]["startLine"] = *line;
  return json::array({location});
}

json ResultOf(const Merged& merged, const MergedFinding& finding, const FindingGroup& group,
              size_t rule) {
  const ShardFinding& best = finding.best;
  const Job& job = merged.plan.jobs[finding.job];
  return {{"ruleId", Legible(best.rule)},
          {"ruleIndex", rule},
          {"kind", "fail"},
          {"level", "error"},
          {"message", Message(absl::StrCat(best.text, "\n", best.program))},
          {"locations", Locations(best)},
          {"occurrenceCount", finding.failures},
          {"partialFingerprints", {{"finding/v1", best.signature}, {"group/v1", group.signature}}},
          {"properties",
           {{"verb", job.verb},
            {"flags", Legible(FlagsText(job))},
            {"seed", absl::StrCat(best.seed)},
            {"shard", finding.shard},
            {"index", best.index},
            {"replay",
             Legible(findings::ReplayCommand(absl::StrCat(merged.folder, "/", best.folder)))}}}};
}

}  // namespace

std::string SarifText(const Merged& merged) {
  json rules = json::array();
  json results = json::array();
  std::map<std::string, size_t> places;  // of rules
  for (const FindingGroup& group : merged.groups) {
    for (const size_t i : group.findings) {
      const MergedFinding& finding = merged.findings[i];
      if (finding.planted) continue;
      const std::string rule = Legible(finding.best.rule);
      const auto [place, fresh] = places.emplace(rule, places.size());
      if (fresh) rules.push_back({{"id", rule}, {"shortDescription", Message(RuleText(rule))}});
      results.push_back(ResultOf(merged, finding, group, place->second));
    }
  }
  json notes = json::array();
  notes.push_back(
      {{"level", merged.missed() ? "error" : "note"}, {"message", Message(merged.Proof())}});
  for (const std::string& complaint : merged.complaints) {
    notes.push_back({{"level", "error"}, {"message", Message(complaint)}});
  }
  const json invocation = {{"executionSuccessful", !merged.missed() && merged.complaints.empty()},
                           {"toolExecutionNotifications", notes}};
  json run;
  run["tool"]["driver"] = {{"name", "twingrad oracle"}, {"rules", rules}};
  run["automationDetails"]["id"] = absl::StrCat("campaign/", merged.plan.name, "/");
  run["invocations"] = json::array({invocation});
  run["originalUriBaseIds"][kBase]["uri"] = absl::StrCat("file://", UriPath(merged.folder), "/");
  run["results"] = results;
  json log = {{"$schema", kSchema}, {"version", "2.1.0"}};
  log["runs"] = json::array({run});
  return log.dump(2) + "\n";
}

}  // namespace twingrad::campaign
