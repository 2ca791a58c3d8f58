#include "proptests/judge/judge.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/program/analyze.h"
#include "autograd/program/region.h"
#include "autograd/reference/dual.h"
#include "autograd/reference/dual_reasons.h"
#include "proptests/judge/canary.h"
#include "proptests/judge/engine_run.h"
#include "proptests/judge/expectation.h"
#include "proptests/judge/seeded_runs.h"
#include "proptests/judge/table.h"
#include "proptests/oracles/compare.h"

namespace twingrad::judge {

using oracles::Evidence;
using oracles::Outcome;
using oracles::Verdict;
using twingrad::program::CallRecord;
using twingrad::program::Observation;
using twingrad::program::Program;
using twingrad::reference::DualResult;
using twingrad::reference::ball::BallResult;

namespace {

// Those that were asked beside the twin.
struct Witnesses {
  std::optional<DualResult> dual;
  std::optional<BallResult> ball;
};

void CountJudgement(const Program& program, const Judgement& judgement, const Witnesses& witnesses,
                    Statistics& statistics) {
  bool linearity = false;
  bool unordered = false;
  bool races = false;
  for (const Verdict& verdict : judgement.verdicts) {
    statistics.compared.Add(verdict.compared);
    linearity |= verdict.oracle.substr(0, 11) == "metamorphic";
    unordered |= verdict.compared.unordered > 0;
    races |= verdict.compared.racing > 0;
  }
  if (judgement.skipped) return statistics.AddSkipped(program);
  ++statistics.twin_judged;
  statistics.AddOpen(program, judgement.expected);
  statistics.AddClasses(program, judgement.expected);
  if (linearity) ++statistics.linearity_judged;
  if (unordered) ++statistics.unordered;
  if (races) ++statistics.racing;
  if (witnesses.dual) {
    const oracles::Evidence evidence = {program, judgement.expected, judgement.observed.front()};
    statistics.AddDual(*witnesses.dual, oracles::CountGradients(evidence, *witnesses.dual));
  }
  if (witnesses.ball) {
    ++statistics.ball_asked;
    ++statistics.ball_refusals[static_cast<size_t>(witnesses.ball->refusal)];
  }
  if (judgement.expected.observation.error) {
    ++statistics.errors_judged;
    ++statistics.traits[static_cast<size_t>(Trait::kError)];
  }
  if (judgement.Failure() != nullptr) ++statistics.findings;
}

// Where several outcomes are legal, the dual numbers follow the one that was seen, if the twin does
// too.
void FollowFailures(const Program& program, Expectation& expected, const Observation& observed,
                    DualResult& dual) {
  const std::vector<int32_t> seen = FailedIn(observed);
  if (FailedIn(expected.usual().observation) == seen) return;
  if (FailedIn(expected.Of(observed).observation) == seen) {
    dual = reference::RunDual(program, seen);
  } else {
    dual.not_applicable = std::string(reference::kEndsInError);
  }
}

bool Unsupported(const Observation& observed) {
  return observed.error && observed.error->error == ErrorKind::kUnsupported;
}

// Threads that may evaluate CPU nodes beside the caller, where there are any.
constexpr int kHelpers = 2;

}  // namespace

struct Judge::Impl {
  JudgeOptions options;
  EngineRun engine;

  // Of the repository's engine, for the Program in hand.
  bool has_helpers = false;

  int HelpersOf(int device_threads) const {
    return has_helpers && device_threads > 0 && !options.run ? kHelpers : 0;
  }
  Observation Observe(const Program& program, int device_threads) {
    Observation seen = options.run ? options.run(program, device_threads)
                                   : engine(program, device_threads, HelpersOf(device_threads));
    if (options.tamper) options.tamper(program, device_threads, seen);
    return seen;
  }

  // The canary speaks of what an error left behind only if it is right on a fresh engine: else the
  // engine is wrong from the start, and the other oracles say how.
  bool CanaryTells(int device_threads) {
    if (!options.canary) return false;
    if (options.run) return true;
    const auto [it, is_new] = canary_tells.try_emplace(device_threads, false);
    if (is_new) {
      EngineRun fresh;
      it->second = JudgeCanary(fresh(CanaryProgram(), device_threads)).outcome == Outcome::kAgree;
    }
    return it->second;
  }
  std::map<int, bool> canary_tells;

  Needs Shown(bool twin) const {
    Needs shown = need::kErrorClasses | need::kSurvived | need::kCalls | need::kPrediction |
                  need::kOrder | need::kHooks | need::kWarnings | need::kInside;
    if (twin) shown |= need::kTwin;
    if (options.recount) shown |= need::kGraph;
    return shown;
  }

  // Judges run number `at`, which is the last that was observed.
  bool JudgeRun(const Program& program, Expectation& expected, size_t at,
                const Witnesses& witnesses, bool laws, Judgement& judgement);
  bool JudgeRepeats(const Program& program, Expectation& expected, size_t at, Judgement& judgement);
};

const Verdict* Judgement::Failure() const {
  for (const Verdict& verdict : verdicts) {
    if (verdict.outcome == Outcome::kDisagree) return &verdict;
  }
  return nullptr;
}

Judge::Judge(JudgeOptions options, Statistics* statistics)
    : impl_(std::make_unique<Impl>()), statistics_(statistics != nullptr ? statistics : &own_) {
  impl_->options = std::move(options);
}

Judge::~Judge() = default;

// Whether the prediction holds for an engine with that many device threads.
bool JudgedByTwin(const reference::TwinResult& expected, int threads) {
  return !expected.skipped && (threads == 0 || !expected.single_thread_only);
}

bool Judge::Impl::JudgeRun(const Program& program, Expectation& expected, size_t at,
                           const Witnesses& witnesses, bool laws, Judgement& judgement) {
  const int threads = options.device_threads[at];
  const Observation& observed = judgement.observed[at];
  const Evidence evidence = {program, expected.Of(observed), observed, threads, HelpersOf(threads)};
  Exhibits exhibits = {.evidence = evidence};
  exhibits.shown = Shown(JudgedByTwin(evidence.expected, threads));
  std::optional<SeededRuns> seeded;
  if (at == 0) {
    // Of other runs, which have the same bits, the witnesses would say the same.
    if (witnesses.dual) exhibits.dual = &*witnesses.dual;
    if (witnesses.ball && evidence.expected.observation.survived.empty()) {
      exhibits.ball = &*witnesses.ball;
    }
    // Where calls release a graph that they share, each run may have another outcome.
    if (laws && !observed.error && evidence.expected.contended_calls.empty()) {
      exhibits.seeded = [&, made = false]() mutable -> const SeededRuns* {
        if (!made) {
          seeded = MakeSeededRuns(program, [&](const Program& p) { return Observe(p, threads); });
        }
        made = true;
        return seeded ? &*seeded : nullptr;
      };
    }
  } else {
    exhibits.other =
        OtherRun{&judgement.observed[0], true,
                 absl::StrCat(oracles::EngineText(options.device_threads[0]), ", then ",
                              oracles::EngineText(threads, HelpersOf(threads)))};
  }
  if (observed.error && CanaryTells(threads)) {
    exhibits.canary = [&] { return Observe(CanaryProgram(), threads); };
  }
  return JudgeByTable(exhibits, judgement.verdicts);
}

bool Judge::Impl::JudgeRepeats(const Program& program, Expectation& expected, size_t at,
                               Judgement& judgement) {
  const int threads = options.device_threads[at];
  for (int repeat = 1; repeat < options.repeats; ++repeat) {
    const Observation again = Observe(program, threads);
    const Evidence evidence = {program, expected.Of(again), again, threads, HelpersOf(threads)};
    const OtherRun first = {&judgement.observed[at], threads != 0,
                            absl::StrCat("two runs of the ", oracles::EngineText(threads))};
    if (!JudgeByTable({.evidence = evidence, .other = first}, judgement.verdicts)) return false;
  }
  return true;
}

Judgement Judge::Run(const Program& program, const Further& further, Statistics& statistics) {
  Judgement judgement;
  statistics.AddProgram(program);
  impl_->has_helpers = further.helpers;
  Expectation expected(program);
  std::optional<Expectation> in_any_order;  // of engines with helpers
  if (expected.usual().skipped) {
    judgement.skipped = absl::StrCat("the twin cannot judge it: ", *expected.usual().skipped);
    statistics.AddSkipped(program);
    judgement.expected = std::move(expected).TakeUsual();
    return judgement;
  }
  Witnesses witnesses;
  const Observation& predicted = expected.usual().observation;
  if (impl_->options.dual) witnesses.dual = reference::RunDual(program, FailedIn(predicted));
  if (!predicted.error && predicted.survived.empty() && impl_->options.ball && further.ball) {
    witnesses.ball = impl_->options.ball(program);
  }
  judgement.verdicts.reserve(Oracles().size() * impl_->options.device_threads.size());
  const bool on_many_threads = further.helpers || further.repeats ||
                               program::DevicesOf(program) > 0 || program::HasSections(program);
  const size_t runs = on_many_threads ? impl_->options.device_threads.size() : 1;
  for (size_t i = 0; i < runs; ++i) {
    judgement.observed.push_back(impl_->Observe(program, impl_->options.device_threads[i]));
    const Observation& observed = judgement.observed.back();
    if (i == 0 && witnesses.dual) FollowFailures(program, expected, observed, *witnesses.dual);
    ++statistics.runs;
    for (const CallRecord& call : observed.calls) statistics.nodes_executed += call.executed.size();
    if (Unsupported(observed)) {
      judgement.skipped = absl::StrCat("the engine does not run ",
                                       oracles::LineOf(program, observed.error->statement));
      break;
    }
    const bool with_helpers = impl_->HelpersOf(impl_->options.device_threads[i]) > 0;
    if (with_helpers && !in_any_order) in_any_order.emplace(program, /*any_order=*/true);
    Expectation& prediction = with_helpers ? *in_any_order : expected;
    if (!impl_->JudgeRun(program, prediction, i, witnesses, further.laws, judgement)) break;
    if (!impl_->JudgeRepeats(program, prediction, i, judgement)) break;
  }
  judgement.expected = std::move(expected).TakeUsual();
  CountJudgement(program, judgement, witnesses, statistics);
  return judgement;
}

Judgement Judge::operator()(const Program& program, const Further& further) {
  return Run(program, further, *statistics_);
}

bool Judge::Fails(const Program& program) {
  Statistics not_counted;
  return Run(program, Further(), not_counted).Failure() != nullptr;
}

bool HasHelpers(uint64_t seed) {
  return ((seed ^ 0x2545f4914f6cdd1du) * 0xd1342543de82ef95u) >> 60 == 0;
}

bool IsRepeatSample(uint64_t seed) {
  return ((seed ^ 0x9e6c63d0876a9a35u) * 0xd1342543de82ef95u) >> 60 == 0;
}

}  // namespace twingrad::judge
