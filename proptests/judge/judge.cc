#include "proptests/judge/judge.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/reference/dual.h"
#include "proptests/judge/canary.h"
#include "proptests/judge/engine_run.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/counts.h"
#include "proptests/oracles/determinism.h"
#include "proptests/oracles/dual.h"
#include "proptests/oracles/errors.h"
#include "proptests/oracles/evidence.h"
#include "proptests/oracles/features.h"
#include "proptests/oracles/gradient_type.h"
#include "proptests/oracles/hooks.h"
#include "proptests/oracles/order.h"
#include "proptests/oracles/twin.h"

namespace twingrad::oracles {

using twingrad::ErrorKind;
using twingrad::program::CallRecord;
using twingrad::program::Observation;
using twingrad::program::Opcode;
using twingrad::program::Program;
using twingrad::reference::DualResult;

namespace {

void CountProgram(const Program& program, Statistics* statistics) {
  ++statistics->programs;
  statistics->statements += program.statements.size();
  const auto features = FeaturesOf(program);
  for (size_t i = 0; i < features.size(); ++i) statistics->features[i] += features[i] ? 1 : 0;
  for (const auto& statement : program.statements) {
    ++statistics->opcodes[static_cast<size_t>(statement.op)];
  }
}

bool Unsupported(const Observation& observed) {
  return observed.error && observed.error->error == ErrorKind::kUnsupported;
}

}  // namespace

struct Judge::Impl {
  JudgeOptions options;
  EngineRun engine;

  Observation Observe(const Program& program, int device_threads) {
    return options.run ? options.run(program, device_threads) : engine(program, device_threads);
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

  // All oracles that look at one run; false after the first disagreement, as the others repeat it.
  bool JudgeRun(const Evidence& evidence, const DualResult* dual, Judgement* judgement);
  bool RunAndJudge(const Program& program, const DualResult* dual, Statistics* statistics,
                   Judgement* judgement);
};

const Verdict* Judgement::Failure() const {
  for (const Verdict& verdict : verdicts) {
    if (verdict.outcome == Outcome::kDisagree) return &verdict;
  }
  return nullptr;
}

Judge::Judge(JudgeOptions options) : impl_(std::make_unique<Impl>()) {
  impl_->options = std::move(options);
}

Judge::~Judge() = default;

bool Judge::Impl::JudgeRun(const Evidence& evidence, const DualResult* dual, Judgement* judgement) {
  const auto add = [judgement](Verdict verdict) {
    judgement->verdicts.push_back(std::move(verdict));
    return judgement->verdicts.back().outcome != Outcome::kDisagree;
  };
  if (!add(JudgeErrors(evidence)) ||
      !add(JudgeGradientTypes(evidence.program, evidence.observed)) ||
      !add(JudgeValues(evidence)) || !add(JudgePredictedCounts(evidence))) {
    return false;
  }
  if (options.recount && !add(JudgeRecount(evidence))) return false;
  if (!add(JudgeOrder(evidence)) || !add(JudgeHooks(evidence))) return false;
  return dual == nullptr || evidence.observed.error || add(JudgeDual(evidence, *dual));
}

bool Judge::Impl::RunAndJudge(const Program& program, const DualResult* dual,
                              Statistics* statistics, Judgement* judgement) {
  const auto& twin = judgement->expected;
  for (size_t i = 0; i < options.device_threads.size(); ++i) {
    const int threads = options.device_threads[i];
    judgement->observed.push_back(Observe(program, threads));
    const Observation& observed = judgement->observed.back();
    if (statistics != nullptr) {
      ++statistics->runs;
      for (const CallRecord& call : observed.calls) {
        statistics->nodes_executed += call.executed.size();
      }
    }
    if (Unsupported(observed)) {
      judgement->skipped =
          absl::StrCat("the engine does not run ", LineOf(program, observed.error->statement));
      return true;
    }
    if (threads != 0 && twin.single_thread_only) continue;
    // The dual numbers speak once; other runs have the same bits.
    const Evidence evidence = {program, twin, observed, threads, statistics};
    if (!JudgeRun(evidence, i == 0 ? dual : nullptr, judgement)) return false;
    for (int repeat = 1; repeat < options.repeats; ++repeat) {
      const Observation again = Observe(program, threads);
      judgement->verdicts.push_back(
          JudgeDeterminism(program, observed, again, threads != 0,
                           absl::StrCat("two runs of the ", EngineText(threads))));
      if (judgement->verdicts.back().outcome == Outcome::kDisagree) return false;
    }
    if (i > 0) {
      judgement->verdicts.push_back(JudgeDeterminism(
          program, judgement->observed[0], observed, true,
          absl::StrCat(EngineText(options.device_threads[0]), ", then ", EngineText(threads))));
      if (judgement->verdicts.back().outcome == Outcome::kDisagree) return false;
    }
    if (observed.error && CanaryTells(threads)) {
      judgement->verdicts.push_back(JudgeCanary(Observe(CanaryProgram(), threads)));
      if (judgement->verdicts.back().outcome == Outcome::kDisagree) return false;
    }
  }
  return true;
}

Judgement Judge::Run(const Program& program, Statistics* statistics) {
  Judgement judgement;
  if (statistics != nullptr) CountProgram(program, statistics);
  judgement.expected = twingrad::reference::RunTwin(program);
  if (judgement.expected.skipped) {
    judgement.skipped = absl::StrCat("the twin cannot judge it: ", *judgement.expected.skipped);
    if (statistics != nullptr) ++statistics->skipped;
    return judgement;
  }
  DualResult dual;
  const bool use_dual = impl_->options.dual && !judgement.expected.observation.error;
  if (use_dual) dual = twingrad::reference::RunDual(program);
  impl_->RunAndJudge(program, use_dual ? &dual : nullptr, statistics, &judgement);
  if (statistics == nullptr) return judgement;
  if (judgement.skipped) {
    ++statistics->skipped;
    return judgement;
  }
  ++statistics->twin_judged;
  if (use_dual && dual.order_judged >= 1) {
    ++statistics->dual_first;
    if (dual.order_judged >= 2) ++statistics->dual_second;
    if (dual.kink) ++statistics->dual_kinks;
  }
  if (judgement.expected.observation.error) {
    ++statistics->errors_judged;
    ++statistics->features[static_cast<size_t>(Feature::kError)];
  }
  if (judgement.Failure() != nullptr) ++statistics->findings;
  return judgement;
}

Judgement Judge::operator()(const Program& program) { return Run(program, &statistics_); }

bool Judge::Fails(const Program& program) { return Run(program, nullptr).Failure() != nullptr; }

}  // namespace twingrad::oracles
