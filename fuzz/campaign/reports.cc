#include "fuzz/campaign/reports.h"

#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "fuzz/campaign/folder.h"
#include "proptests/workers/files.h"

namespace twingrad::campaign {

absl::Status WriteReports(const Merged& merged, const std::string& out) {
  std::map<std::string, std::string> files = {{"findings.sarif", SarifText(merged)},
                                              {"junit.xml", JUnitText(merged)}};
  const std::string versions = merged.found() > 0 ? VersionsText() : "";
  for (const FindingGroup& group : merged.groups) {
    if (group.planted) continue;
    const ShardFinding& first = merged.findings[group.findings.front()].best;
    files[absl::StrCat("issues/", first.signature, ".md")] = IssueText(merged, group, versions);
  }
  std::error_code ignored;  // what cannot be made cannot be written to either, which is told
  std::filesystem::create_directories(out + "/issues", ignored);
  absl::StatusOr<workers::TemporaryFolder> local = workers::TemporaryFolder::Make("campaign-merge");
  if (!local.ok()) return local.status();
  const std::string made = local->path() + "/report";
  for (const auto& [name, text] : files) {
    if (absl::Status status = workers::WriteFile(made, text); !status.ok()) return status;
    if (absl::Status status = Publish(made, absl::StrCat(out, "/", name)); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace twingrad::campaign
