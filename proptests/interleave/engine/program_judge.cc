#include "proptests/interleave/engine/program_judge.h"

#include <utility>
#include <vector>

#include "autograd/reference/dual.h"
#include "proptests/judge/fingerprint.h"

namespace twingrad::interleave {

using oracles::Evidence;
using oracles::Verdict;
using program::Observation;
using program::Program;

namespace {

std::optional<ProgramJudge::Finding> FindingOf(const judge::Exhibits& exhibits) {
  std::vector<Verdict> verdicts;
  if (JudgeByTable(exhibits, verdicts)) return std::nullopt;
  return ProgramJudge::Finding{std::string(verdicts.back().oracle), verdicts.back().text};
}

}  // namespace

ProgramJudge::ProgramJudge(const Program& program, int device_threads, Observation single,
                           bool with_calls)
    : program_(program),
      device_threads_(device_threads),
      with_calls_(with_calls),
      single_(std::move(single)),
      expected_(program) {}

judge::Needs ProgramJudge::Shown(const reference::TwinResult& expected, int device_threads) const {
  judge::Needs shown = judge::need::kErrorClasses | judge::need::kSurvived;
  if (!expected.skipped && (device_threads == 0 || !expected.single_thread_only)) {
    shown |= judge::need::kTwin;
  }
  if (with_calls_) {
    shown |= judge::need::kCalls | judge::need::kGraph | judge::need::kPrediction |
             judge::need::kOrder | judge::need::kHooks | judge::need::kWarnings |
             judge::need::kInside;
  }
  return shown;
}

std::optional<ProgramJudge::Finding> ProgramJudge::operator()(const Observation& observed,
                                                              int helpers) {
  // With helpers more is right.
  const uint64_t fingerprint = judge::FingerprintOf(observed) + static_cast<uint64_t>(helpers);
  if (right_.count(fingerprint) != 0) return std::nullopt;
  if (helpers > 0 && !in_any_order_) in_any_order_.emplace(program_, /*any_order=*/true);
  judge::Expectation& expected = helpers > 0 ? *in_any_order_ : expected_;
  const Evidence evidence = {program_, expected.Of(observed), observed, device_threads_, helpers};
  if (auto finding =
          FindingOf({.evidence = evidence,
                     .shown = Shown(evidence.expected, device_threads_),
                     .other = judge::OtherRun{&single_, true, "one thread, then this schedule"}})) {
    return finding;
  }
  right_.insert(fingerprint);
  return std::nullopt;
}

std::optional<ProgramJudge::Finding> ProgramJudge::JudgeSingle(
    const std::optional<Observation>& canary) {
  const reference::TwinResult& expected = expected_.Of(single_);
  const Evidence evidence = {program_, expected, single_, 0};
  judge::Exhibits exhibits = {.evidence = evidence, .shown = Shown(expected, 0)};
  reference::DualResult dual;
  if (!expected.skipped && !expected.observation.error && expected.observation.survived.empty()) {
    dual = reference::RunDual(program_);
    exhibits.dual = &dual;
  }
  if (canary) exhibits.canary = [&canary] { return *canary; };
  return FindingOf(exhibits);
}

}  // namespace twingrad::interleave
