#include "proptests/findings/shrink_failure.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "proptests/findings/case_text.h"
#include "proptests/findings/sequence.h"

namespace twingrad::findings {
namespace {

using std::chrono::steady_clock;
using workers::CaseResult;
using workers::Failure;
using workers::Prober;

// The schedule at which the worker ended is kept only if that schedule alone ends the worker again;
// then it is minimized and drawn.
void KeepSchedule(const std::function<std::optional<CaseResult>(std::string_view)>& same_failure,
                  Prober& prober, Finding* finding) {
  std::map<std::string, std::string>& files = finding->result.files;
  const auto found = files.find(kScheduleFile);
  if (found == files.end()) return;
  Case alone{SplitCase(finding->program).program, std::nullopt, false, found->second};
  if (!same_failure(JoinCase(alone))) {
    files.erase(found);
    return;
  }
  alone.shrink = true;
  absl::StatusOr<CaseResult> drawn = prober.Judge(JoinCase(alone));
  if (!drawn.ok() || drawn->failed || drawn->files.count(kScheduleFile) == 0) return;
  alone.shrink = false;
  alone.schedule = drawn->files[kScheduleFile];
  if (alone.schedule != found->second && !same_failure(JoinCase(alone))) return;
  files = std::move(drawn->files);
  finding->result.text += drawn->text;
}

// Whether Programs still fail in the way of a finding; counts how many were asked for.
class Shrinking {
 public:
  Shrinking(Finding& finding, workers::CaseSource& source, Prober& prober,
            const workers::WorkerLimits& limits, const ShrinkBudget& budget)
      : finding_(finding),
        source_(source),
        prober_(prober),
        limits_(limits),
        budget_(budget),
        deadline_(steady_clock::now() + budget.time) {}

  absl::Status Run();

 private:
  bool Over() const {
    return budget_.interrupted() || steady_clock::now() > deadline_ || !status_.ok();
  }
  // The CaseResult if the Program fails in the same way as the finding.
  std::optional<CaseResult> Same(absl::StatusOr<CaseResult> result);
  std::optional<CaseResult> SameAlone(std::string_view program) {
    return Same(prober_.Judge(program));
  }
  std::optional<CaseResult> SameAfter(absl::Span<const std::string> before,
                                      std::string_view program) {
    return Same(prober_.JudgeAfter(before, program));
  }
  void ShrinkAlone();
  bool FindBefore();
  void ShrinkAfter();

  Finding& finding_;
  workers::CaseSource& source_;
  Prober& prober_;
  const workers::WorkerLimits& limits_;
  const ShrinkBudget& budget_;
  const steady_clock::time_point deadline_;
  absl::Status status_;  // not ok: an engine could not be started
};

std::optional<CaseResult> Shrinking::Same(absl::StatusOr<CaseResult> result) {
  ++finding_.probes;
  if (!result.ok()) {
    if (absl::IsUnavailable(result.status())) status_ = result.status();
    return std::nullopt;
  }
  if (!result->failed || result->oracle != finding_.failure.result.oracle) return std::nullopt;
  return *std::move(result);
}

void Shrinking::ShrinkAlone() {
  if (finding_.result.oracle == "hang") {
    prober_.SetTimeout(std::min(limits_.timeout, budget_.timeout));
  }
  // What one of the smaller Programs leaves behind must not make another fail: where it does, each
  // gets a worker of its own.
  for (const bool fresh : {false, true}) {
    std::string small = source_.Shrink(finding_.program, [&](std::string_view program) {
      if (fresh) prober_.Renew();
      return !Over() && SameAlone(program).has_value();
    });
    prober_.SetTimeout(limits_.timeout);
    if (small == finding_.program || !status_.ok()) break;
    // Judges the minimized Program once more, under the campaign's own limits; the report shows
    // this CaseResult.
    bool kept = false;
    for (int i = 0; i < kShrinkTries && !kept; ++i) {
      prober_.Renew();
      if (std::optional<CaseResult> result = SameAlone(small)) {
        finding_.program = small;
        finding_.result = *std::move(result);
        kept = true;
      }
    }
    if (kept || Over()) break;
  }
  KeepSchedule([this](std::string_view program) { return SameAlone(program); }, prober_, &finding_);
}

// The text with the seed that it was made from, on which it hangs what its judge looks at.
std::string WithSeed(const std::string& text, uint64_t seed) {
  Case parts = SplitCase(text);
  if (parts.seed || parts.single || !parts.schedule.empty()) return text;
  parts.seed = seed;
  return JoinCase(parts);
}

// What its worker ran before it: the fewest after which it fails.
bool Shrinking::FindBefore() {
  std::vector<std::string> all;
  for (const uint64_t seed : finding_.failure.before) {
    absl::StatusOr<std::string> program = prober_.Generate(seed);
    if (!program.ok()) continue;  // it brings its worker down before it is run
    all.push_back(WithSeed(*program, seed));
  }
  const std::string program = WithSeed(finding_.program, finding_.failure.seed);
  // Many of them take long where each is explored: what would end after the deadline is not begun.
  steady_clock::duration of_one{0};
  const auto fails = [&](absl::Span<const std::string> before) {
    const auto cases = static_cast<int64_t>(before.size()) + 1;
    const auto begin = steady_clock::now();
    if (Over() || begin + of_one * cases > deadline_) return false;
    const bool same = SameAfter(before, program).has_value();
    of_one = (steady_clock::now() - begin) / cases;
    return same;
  };
  std::optional<std::vector<std::string>> few = FewestBefore(std::move(all), fails);
  if (!few) return false;
  std::optional<CaseResult> result = SameAfter(*few, program);
  if (!result) return false;
  finding_.before = *std::move(few);
  finding_.program = program;
  finding_.result = *std::move(result);
  return true;
}

// The Program, then each of those before it.
void Shrinking::ShrinkAfter() {
  std::vector<std::string> all = finding_.before;
  all.push_back(finding_.program);
  const auto result_of = [this](const std::vector<std::string>& cases) {
    return SameAfter(absl::MakeConstSpan(cases).first(cases.size() - 1), cases.back());
  };
  for (size_t i = all.size(); i-- > 0;) {
    std::vector<std::string> tried = all;
    all[i] = source_.Shrink(all[i], [&](std::string_view smaller) {
      tried[i] = std::string(smaller);
      return !Over() && result_of(tried).has_value();
    });
  }
  // Without comments, if it shows so. A Program without its seed is looked at in every way, so that
  // fewer before it may be enough.
  std::vector<std::string> bare = all;
  for (std::string& text : bare) text = SplitCase(text).program;
  if (result_of(bare)) {
    const std::string program = std::move(bare.back());
    bare.pop_back();
    const auto fails = [&](absl::Span<const std::string> before) {
      return !Over() && SameAfter(before, program).has_value();
    };
    if (std::optional<std::vector<std::string>> few = FewestBefore(bare, fails)) {
      bare = *std::move(few);
    }
    all = std::move(bare);
    all.push_back(program);
  }
  std::optional<CaseResult> result = result_of(all);
  if (!result) return;  // it stays as it was
  finding_.result = *std::move(result);
  finding_.program = std::move(all.back());
  all.pop_back();
  finding_.before = std::move(all);
}

absl::Status Shrinking::Run() {
  prober_.Renew();
  prober_.SetTimeout(limits_.timeout);
  for (int i = 0; i < kShrinkTries && !finding_.repeats && !Over(); ++i) {
    if (std::optional<CaseResult> result = SameAlone(finding_.program)) {
      finding_.repeats = true;
      finding_.result = *std::move(result);
    }
  }
  if (!finding_.repeats && !Over() && !finding_.failure.before.empty()) {
    finding_.repeats = FindBefore();
    if (finding_.repeats && status_.ok()) ShrinkAfter();
    return status_;
  }
  if (!finding_.repeats || !status_.ok()) return status_;
  if (!finding_.result.reproducer.empty()) {  // the judge has minimized it
    finding_.program = finding_.result.reproducer;
    return absl::OkStatus();
  }
  ShrinkAlone();
  return status_;
}

}  // namespace

absl::StatusOr<Finding> ShrinkFailure(Failure failure, workers::CaseSource& source, Prober& prober,
                                      const workers::WorkerLimits& limits,
                                      const ShrinkBudget& budget) {
  Finding finding;
  finding.program = failure.program;
  finding.result = failure.result;
  finding.failure = std::move(failure);
  if (finding.program.empty()) return finding;  // it fell over before there was a Program
  absl::Status status = Shrinking(finding, source, prober, limits, budget).Run();
  if (!status.ok()) return status;
  return finding;
}

}  // namespace twingrad::findings
