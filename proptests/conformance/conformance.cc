#include "proptests/conformance/conformance.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace twingrad::conformance {
namespace {

const GoldenVerdict* Find(absl::Span<const GoldenVerdict> goldens, std::string_view id) {
  const auto it = std::find_if(goldens.begin(), goldens.end(),
                               [id](const GoldenVerdict& golden) { return golden.id == id; });
  return it == goldens.end() ? nullptr : &*it;
}

bool Lists(const ExpectedFailures& failures, std::string_view id) {
  return std::any_of(failures.entries.begin(), failures.entries.end(),
                     [id](const ExpectedEntry& entry) { return entry.id == id; });
}

std::string ComplaintOf(const ExpectedEntry& entry, const GoldenVerdict* golden) {
  if (golden == nullptr) {
    return absl::StrCat(entry.id, " is listed, but no golden has this id");
  }
  if (!GotWrong(golden->verdict)) {
    return absl::StrCat(entry.id, " is listed as failing (", entry.rule, "), but its outcome is ",
                        golden->verdict.outcome);
  }
  if (const std::string rule = RuleWord(golden->verdict.oracle); rule != entry.rule) {
    return absl::StrCat(entry.id, " is listed as failing by ", entry.rule, ", but fails by ", rule,
                        "\n", golden->verdict.text);
  }
  return "";
}

}  // namespace

bool GotWrong(const workers::CaseResult& verdict) {
  return verdict.failed || verdict.outcome == "explained";
}

std::vector<std::string> Complaints(absl::Span<const GoldenVerdict> goldens,
                                    const ExpectedFailures& failures) {
  std::vector<std::string> complaints;
  for (const ExpectedEntry& entry : failures.entries) {
    std::string complaint = ComplaintOf(entry, Find(goldens, entry.id));
    if (!complaint.empty()) complaints.push_back(std::move(complaint));
  }
  for (const GoldenVerdict& golden : goldens) {
    if (!GotWrong(golden.verdict) || Lists(failures, golden.id)) continue;
    complaints.push_back(absl::StrCat(golden.id, " fails (", RuleWord(golden.verdict.oracle),
                                      ") and is not listed\n", golden.verdict.text));
  }
  return complaints;
}

ExpectedFailures Revised(absl::Span<const GoldenVerdict> goldens, ExpectedFailures failures,
                         std::string_view until) {
  ExpectedFailures revised;
  for (ExpectedEntry& entry : failures.entries) {
    const GoldenVerdict* golden = Find(goldens, entry.id);
    if (golden == nullptr || !GotWrong(golden->verdict)) continue;
    entry.rule = RuleWord(golden->verdict.oracle);
    revised.entries.push_back(std::move(entry));
  }
  for (const GoldenVerdict& golden : goldens) {
    if (!GotWrong(golden.verdict) || Lists(revised, golden.id)) continue;
    revised.entries.push_back({golden.id, RuleWord(golden.verdict.oracle), std::string(until),
                               "not looked into: say here why it fails"});
  }
  for (FailureSignature& signature : failures.signatures) {
    if (Lists(revised, signature.entry)) revised.signatures.push_back(std::move(signature));
  }
  return revised;
}

}  // namespace twingrad::conformance
