// Work on streams is in order where the Program's is, and in none where the Program's is in none.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/program/region.h"
#include "autograd/program/stream_order.h"
#include "autograd/reference/stream_races.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

using program::StreamReport;
using reference::StreamRaces;

constexpr std::string_view kOracle = "streams";

// Of a report whose statements are not both known it is only known that there is one.
bool IsPossible(const StreamReport& report, const StreamRaces& races) {
  if (report.statement < 0 || report.other < 0) return !races.possible.empty();
  return races.possible.contains({report.statement, report.other});
}

std::string UnexpectedText(const Observation& observed, const StreamReport& report) {
  return absl::StrCat("streams: memory of a device is accessed in no order\n  ", report.text,
                      "\n  one of ", observed.stream_reports.size(),
                      " such accesses; the Program's own statements are in order there\n");
}

std::string SilenceText(int32_t statement) {
  return absl::StrCat("streams: an access in no order is not reported\n",
                      ExpectedText(absl::StrCat("statement ", statement,
                                                " touches memory on whose other user no event "
                                                "makes its stream wait"),
                                   "no report of that statement's work"));
}

}  // namespace

Verdict JudgeStreams(const Program& program, const Observation& observed) {
  const bool follow = program::StreamsFollowEachOther(program);
  Compared compared;
  compared.unordered = follow ? 0 : 1;
  if (observed.stream_reports.empty() && (follow || !observed.reports_each_access)) {
    return Agree(kOracle, compared);
  }
  if (HasSections(program)) {
    if (!follow || observed.stream_reports.empty()) return Agree(kOracle, compared);
    return Disagree(kOracle, UnexpectedText(observed, observed.stream_reports.front()), {});
  }
  const StreamRaces races = reference::FindStreamRaces(program, reference::FailuresOf(observed));
  for (const StreamReport& report : observed.stream_reports) {
    if (!IsPossible(report, races)) {
      return Disagree(kOracle, UnexpectedText(observed, report), {});
    }
  }
  compared.races = observed.stream_reports.size();
  const bool all_are_kept = observed.stream_reports.size() < program::kMostStreamReports;
  if (!observed.reports_each_access || !all_are_kept) return Agree(kOracle, compared);
  for (const int32_t statement : races.certain) {
    const bool is_reported = std::ranges::any_of(
        observed.stream_reports,
        [&](const StreamReport& report) { return report.statement == statement; });
    if (!is_reported) return Disagree(kOracle, SilenceText(statement), {statement});
  }
  compared.racing = races.certain.size();
  return Agree(kOracle, compared);
}

}  // namespace twingrad::oracles
