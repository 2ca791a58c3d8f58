// The findings of a merge for other tools: SARIF 2.1.0, JUnit XML, and for each group a text that
// can be pasted into an issue.
//
// What a crashed process has said may hold any bytes. Invalid UTF-8 becomes U+FFFD; characters that
// a format cannot hold are shown by their pictures, such as U+241B for Escape.

#pragma once

#include <string>

#include "absl/status/status.h"
#include "fuzz/campaign/groups.h"
#include "fuzz/campaign/merge.h"

namespace twingrad::campaign {

// Writes findings.sarif, junit.xml and issues/SIGNATURE.md, for each group that is not planted,
// into `out`; the signature is that of the group's first finding. A text of an earlier merge stays:
// its finding is still one.
absl::Status WriteReports(const Merged& merged, const std::string& out);

// A result a finding that is not planted.
std::string SarifText(const Merged& merged);
// A suite a job, with a failed case a finding, and one of the planted defects.
std::string JUnitText(const Merged& merged);
// `versions`: lines of Markdown.
std::string IssueText(const Merged& merged, const FindingGroup& group, const std::string& versions);

// With what the merge was made, as a list in Markdown.
std::string VersionsText();

}  // namespace twingrad::campaign
