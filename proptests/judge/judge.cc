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
#include "proptests/judge/trial.h"
#include "proptests/oracles/compare.h"

namespace twingrad::judge {

using oracles::Evidence;
using oracles::Outcome;
using oracles::Verdict;
using twingrad::program::CallRecord;
using twingrad::program::Observation;
using twingrad::program::Program;

namespace {

void CountJudgement(const Trial& trial) {
  const Program& program = *trial.program;
  const Judgement& judgement = trial.judgement;
  Statistics& statistics = *trial.statistics;
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
  if (trial.dual) {
    const oracles::Evidence evidence = {program, judgement.expected, judgement.observed.front()};
    statistics.AddDual(*trial.dual, oracles::CountGradients(evidence, *trial.dual));
  }
  if (trial.ball) {
    ++statistics.ball_asked;
    ++statistics.ball_refusals[static_cast<size_t>(trial.ball->refusal)];
  }
  if (judgement.expected.observation.error) {
    ++statistics.errors_judged;
    ++statistics.traits[static_cast<size_t>(Trait::kError)];
  }
  if (judgement.Failure() != nullptr) ++statistics.findings;
}

// Where several outcomes are legal, the dual numbers follow the one that was seen, if the twin does
// too.
void FollowFailures(Trial& trial) {
  const Observation& observed = trial.judgement.observed.front();
  const std::vector<int32_t> seen = FailedIn(observed);
  if (FailedIn(trial.expected->usual().observation) == seen) return;
  if (FailedIn(trial.expected->Of(observed).observation) == seen) {
    trial.dual = reference::RunDual(*trial.program, seen);
  } else {
    trial.dual->not_applicable = std::string(reference::kEndsInError);
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

  int HelpersOf(const Trial& trial, int device_threads) const {
    return trial.further.helpers && device_threads > 0 && !options.run ? kHelpers : 0;
  }
  Observation Observe(const Trial& trial, const Program& program, int device_threads) {
    Observation seen = options.run
                           ? options.run(program, device_threads)
                           : engine(program, device_threads, HelpersOf(trial, device_threads));
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

  // Makes run number `at`, and judges that: by the table, and beside repetitions of it.
  void Run(Trial& trial, size_t at);
  void JudgeRun(Trial& trial, size_t at);
  bool Agrees(Trial& trial, Expectation& expected, size_t at);
  bool RepeatsAgree(Trial& trial, Expectation& expected, size_t at);

  void Expect(Trial& trial) const;
  void AskOthers(Trial& trial) const;
  void RunElsewhere(Trial& trial);
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

bool Judge::Impl::Agrees(Trial& trial, Expectation& expected, size_t at) {
  const Program& program = *trial.program;
  Judgement& judgement = trial.judgement;
  const int threads = options.device_threads[at];
  const int helpers = HelpersOf(trial, threads);
  const Observation& observed = judgement.observed[at];
  const Evidence evidence = {program, expected.Of(observed), observed, threads, helpers};
  Exhibits exhibits = {.evidence = evidence};
  exhibits.shown = Shown(JudgedByTwin(evidence.expected, threads));
  std::optional<SeededRuns> seeded;
  if (at == 0) {
    // Of other runs, which have the same bits, the witnesses would say the same.
    if (trial.dual) exhibits.dual = &*trial.dual;
    if (trial.ball && evidence.expected.observation.survived.empty()) exhibits.ball = &*trial.ball;
    // Where calls release a graph that they share, each run may have another outcome.
    if (trial.further.laws && !observed.error && evidence.expected.contended_calls.empty()) {
      exhibits.seeded = [&, made = false]() mutable -> const SeededRuns* {
        if (!made) {
          seeded =
              MakeSeededRuns(program, [&](const Program& p) { return Observe(trial, p, threads); });
        }
        made = true;
        return seeded ? &*seeded : nullptr;
      };
    }
  } else {
    exhibits.other = OtherRun{&judgement.observed[0], true,
                              absl::StrCat(oracles::EngineText(options.device_threads[0]),
                                           ", then ", oracles::EngineText(threads, helpers))};
  }
  if (trial.canary) {
    exhibits.canary = [&] { return *trial.canary; };
  }
  return JudgeByTable(exhibits, judgement.verdicts);
}

bool Judge::Impl::RepeatsAgree(Trial& trial, Expectation& expected, size_t at) {
  const Program& program = *trial.program;
  Judgement& judgement = trial.judgement;
  const int threads = options.device_threads[at];
  for (int repeat = 1; repeat < options.repeats; ++repeat) {
    const Observation again = Observe(trial, program, threads);
    const Evidence evidence = {program, expected.Of(again), again, threads,
                               HelpersOf(trial, threads)};
    const OtherRun first = {&judgement.observed[at], threads != 0,
                            absl::StrCat("two runs of the ", oracles::EngineText(threads))};
    if (!JudgeByTable({.evidence = evidence, .other = first}, judgement.verdicts)) return false;
  }
  return true;
}

void Judge::Impl::Expect(Trial& trial) const {
  trial.statistics->AddProgram(*trial.program);
  trial.expected.emplace(*trial.program);
  const std::optional<std::string>& skipped = trial.expected->usual().skipped;
  if (!skipped) return;
  trial.judgement.skipped = absl::StrCat("the twin cannot judge it: ", *skipped);
  trial.statistics->AddSkipped(*trial.program);
  trial.judgement.expected = std::move(*trial.expected).TakeUsual();
  trial.expected.reset();
}

void Judge::Impl::AskOthers(Trial& trial) const {
  const Observation& predicted = trial.expected->usual().observation;
  if (options.dual) trial.dual = reference::RunDual(*trial.program, FailedIn(predicted));
  if (!predicted.error && predicted.survived.empty() && options.ball && trial.further.ball) {
    trial.ball = options.ball(*trial.program);
  }
}

void Judge::Impl::Run(Trial& trial, size_t at) {
  const int threads = options.device_threads[at];
  trial.judgement.observed.push_back(Observe(trial, *trial.program, threads));
  trial.canary.reset();
  if (trial.judgement.observed.back().error && CanaryTells(threads)) {
    trial.canary = Observe(trial, CanaryProgram(), threads);
  }
}

void Judge::Impl::JudgeRun(Trial& trial, size_t at) {
  const Program& program = *trial.program;
  const Observation& observed = trial.judgement.observed[at];
  Statistics& statistics = *trial.statistics;
  if (at == 0 && trial.dual) FollowFailures(trial);
  ++statistics.runs;
  for (const CallRecord& call : observed.calls) statistics.nodes_executed += call.executed.size();
  if (Unsupported(observed)) {
    trial.judgement.skipped = absl::StrCat("the engine does not run ",
                                           oracles::LineOf(program, observed.error->statement));
    trial.over = true;
    return;
  }
  const bool with_helpers = HelpersOf(trial, options.device_threads[at]) > 0;
  if (with_helpers && !trial.in_any_order) trial.in_any_order.emplace(program, /*any_order=*/true);
  Expectation& expected = with_helpers ? *trial.in_any_order : *trial.expected;
  trial.over = !Agrees(trial, expected, at) || !RepeatsAgree(trial, expected, at);
}

void Judge::Impl::RunElsewhere(Trial& trial) {
  const bool on_many_threads = trial.further.helpers || trial.further.repeats ||
                               program::DevicesOf(*trial.program) > 0 ||
                               program::HasSections(*trial.program);
  const size_t runs = on_many_threads ? options.device_threads.size() : 1;
  for (size_t at = 1; at < runs && !trial.over; ++at) {
    Run(trial, at);
    JudgeRun(trial, at);
  }
  trial.judgement.expected = std::move(*trial.expected).TakeUsual();
  CountJudgement(trial);
}

Trial Judge::Begin(const Program& program, const Further& further) {
  Trial trial;
  trial.program = &program;
  trial.further = further;
  trial.statistics = statistics_;
  trial.judgement.verdicts.reserve(Oracles().size() * impl_->options.device_threads.size());
  return trial;
}

void Judge::Take(Step step, Trial& trial) {
  if (step != Step::kExpect && !trial.expected) return;  // the twin could not judge it
  switch (step) {
    case Step::kExpect:
      return impl_->Expect(trial);
    case Step::kAskOthers:
      return impl_->AskOthers(trial);
    case Step::kRun:
      return impl_->Run(trial, 0);
    case Step::kJudgeRun:
      return impl_->JudgeRun(trial, 0);
    case Step::kRunElsewhere:
      return impl_->RunElsewhere(trial);
  }
}

Judgement Judge::Of(Trial trial) {
  for (int step = 0; step < kNumSteps; ++step) Take(static_cast<Step>(step), trial);
  return std::move(trial.judgement);
}

Judgement Judge::operator()(const Program& program, const Further& further) {
  return Of(Begin(program, further));
}

bool Judge::Fails(const Program& program) {
  Statistics not_counted;
  Trial trial = Begin(program, Further());
  trial.statistics = &not_counted;
  return Of(std::move(trial)).Failure() != nullptr;
}

bool HasHelpers(uint64_t seed) {
  return ((seed ^ 0x2545f4914f6cdd1du) * 0xd1342543de82ef95u) >> 60 == 0;
}

bool IsRepeatSample(uint64_t seed) {
  return ((seed ^ 0x9e6c63d0876a9a35u) * 0xd1342543de82ef95u) >> 60 == 0;
}

}  // namespace twingrad::judge
