// Work on streams is in order where the Program's is, and is reported where that is not.

#include <cstdint>
#include <utility>
#include <vector>

#include "proptests/oracles/oracle_test_support.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

using program::StreamReport;

// Statement 3 reads what statement 1 wrote on another stream.
constexpr char kRacing[] =
    "stream id=a device=dev:0\n"
    "%x = leaf type=f64[] data=1 device=dev:0\n"
    "stream id=b device=dev:0\n"
    "%y = neg %x\n";

Verdict JudgeWith(const char* text, std::vector<StreamReport> reports, bool each_access = true) {
  Trial trial(text);
  trial.observed.stream_reports = std::move(reports);
  trial.observed.reports_each_access = each_access;
  return JudgeStreams(trial.program, trial.observed);
}

StreamReport ReportOf(int32_t statement, int32_t other) {
  return {"[device] read by neg is not ordered", statement, other};
}

TEST(Streams, AReportIsAFindingWhereTheProgramIsInOrder) {
  ExpectAgreement(JudgeWith(kProduct, {}));
  ExpectFinding(JudgeWith(kProduct, {ReportOf(4, 2)}), "streams");
  ExpectFinding(JudgeWith(kProduct, {ReportOf(-1, -1)}), "streams");
}

TEST(Streams, AReportOfWhatRacesIsNone) {
  ExpectAgreement(JudgeWith(kRacing, {ReportOf(3, 1)}));
  ExpectAgreement(JudgeWith(kRacing, {ReportOf(-1, -1), ReportOf(3, 1)}));
  ExpectFinding(JudgeWith(kRacing, {ReportOf(3, 1), ReportOf(1, 0)}), "streams");
}

TEST(Streams, SilenceIsAFindingWhereTheProgramRaces) {
  ExpectFinding(JudgeWith(kRacing, {}), "streams");
  ExpectFinding(JudgeWith(kRacing, {ReportOf(-1, -1)}), "streams");
}

TEST(Streams, SilenceOfADeviceThatDoesNotLookSaysNothing) {
  ExpectAgreement(JudgeWith(kRacing, {}, /*each_access=*/false));
}

// A device keeps the first reports only.
TEST(Streams, AfterManyReportsSilenceSaysNothing) {
  const std::vector<StreamReport> many(program::kMostStreamReports, ReportOf(-1, -1));
  ExpectAgreement(JudgeWith(kRacing, many));
}

TEST(Streams, ThreadSectionsAreInOrderWhereStreamsFollowEachOther) {
  constexpr char kSection[] =
      "%x = leaf type=f64[] data=1 device=dev:0\nbegin kind=thread\n%y = neg %x\nend\n";
  ExpectFinding(JudgeWith(kSection, {ReportOf(2, 0)}), "streams");
  constexpr char kRacingSection[] =
      "stream id=a device=dev:0\n%x = leaf type=f64[] data=1 device=dev:0\n"
      "begin kind=thread\n%y = neg %x\nend\n";
  ExpectAgreement(JudgeWith(kRacingSection, {ReportOf(3, 1)}));
}

}  // namespace
}  // namespace twingrad::oracles
