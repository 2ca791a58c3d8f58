// JUnitText of reports.h.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fuzz/campaign/legible.h"
#include "fuzz/campaign/plan.h"
#include "fuzz/campaign/reports.h"
#include "proptests/findings/finding.h"

namespace twingrad::campaign {
namespace {

// A suite and its cases; counts them.
class Suite {
 public:
  Suite(std::string_view name, double seconds) : name_(name), seconds_(seconds) {}

  // `body`: the elements that say how it ended; none: well.
  void AddCase(std::string_view name, std::string_view body = "") {
    ++cases_;
    absl::StrAppend(&text_, "    <testcase classname=\"", XmlText(name_), "\" name=\"",
                    XmlText(name), "\"",
                    body.empty() ? "/>\n" : absl::StrCat(">", body, "</testcase>\n"));
  }
  void AddFailure(std::string_view name, std::string_view type, std::string_view text) {
    ++failures_;
    AddCase(name, absl::StrCat("<failure type=\"", XmlText(type), "\" message=\"",
                               XmlText(text.substr(0, text.find('\n'))), "\">", XmlText(text),
                               "</failure>"));
  }
  void AddSkipped(std::string_view name, std::string_view why) {
    ++skipped_;
    AddCase(name, absl::StrCat("<skipped message=\"", XmlText(why), "\"/>"));
  }

  std::string Text() const {
    return absl::StrFormat(
        "  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\" "
        "time=\"%.3f\">\n%s  </testsuite>\n",
        XmlText(name_), cases_, failures_, skipped_, seconds_, text_);
  }

 private:
  std::string name_;
  double seconds_;
  uint64_t cases_ = 0;
  uint64_t failures_ = 0;
  uint64_t skipped_ = 0;
  std::string text_;
};

std::string JobSuite(const Merged& merged, size_t number) {
  const MergedJob& job = merged.jobs[number];
  const Job& planned = merged.plan.jobs[number];
  Suite suite(
      absl::StrCat(merged.plan.name, ".", number + 1, " ", planned.verb, FlagsText(planned)),
      job.seconds);
  suite.AddCase(
      absl::StrCat(job.programs - job.failed, " of ", job.programs, " Programs without failure"));
  for (const MergedFinding& finding : merged.findings) {
    if (finding.planted || finding.job != number) continue;
    const ShardFinding& best = finding.best;
    suite.AddFailure(
        absl::StrCat(best.rule, "-", best.signature), best.rule,
        absl::StrCat(best.text, "\n", best.program, "\n",
                     findings::ReplayCommand(absl::StrCat(merged.folder, "/", best.folder)), "\n"));
  }
  return suite.Text();
}

std::string CanarySuite(const Merged& merged) {
  Suite suite(merged.plan.name + ".planted defects", 0);
  for (const Canary& canary : merged.canaries) {
    const std::string name =
        absl::StrCat("shard ", canary.shard, ": ", workers::DefectName(canary.defect));
    if (canary.found) {
      suite.AddCase(name);
    } else if (canary.done) {
      suite.AddFailure(name, "missed",
                       "the shard is done and did not find it, so the campaign proves nothing");
    } else {
      suite.AddSkipped(name, "the shard is not done");
    }
  }
  return suite.Text();
}

}  // namespace

std::string JUnitText(const Merged& merged) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (size_t i = 0; i < merged.jobs.size(); ++i) text += JobSuite(merged, i);
  if (!merged.canaries.empty()) text += CanarySuite(merged);
  return text + "</testsuites>\n";
}

}  // namespace twingrad::campaign
