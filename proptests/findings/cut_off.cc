#include "proptests/findings/cut_off.h"

#include <atomic>
#include <bit>
#include <csignal>
#include <new>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "proptests/interleave/checker/schedule_shrink.h"
#include "proptests/interleave/strategies/replay_strategy.h"
#include "proptests/interleave/strategies/thread_set.h"

namespace twingrad::findings {
namespace {

using interleave::Decision;
using interleave::DecisionKind;
using interleave::ProgramExplorer;
using interleave::Question;
using interleave::Strategy;
using interleave::Trace;

// A child that neither computes nor ends is killed after this time.
constexpr unsigned kBlockedSeconds = 10;
// Limited because each child is a process, if a cheap one.
constexpr interleave::ScheduleShrinkLimits kLimits = {.attempts = 300, .tries = 50};

Decision DecisionOf(const Question& question, int chosen) {
  return {question.kind,    question.alternatives, chosen,        question.site,
          question.current, question.thread,       question.step, question.runnable};
}

// Answers as recorded, and stops the execution at the last recorded question.
class UpToTheEnd final : public Strategy {
 public:
  explicit UpToTheEnd(const Trace& recorded) : replay_(recorded) {}

  void Begin(uint64_t seed) override {
    replay_.Begin(seed);
    trace_.clear();
    error_.clear();
  }
  int Choose(const Question& question) override {
    if (!error_.empty()) return 0;
    const int chosen = replay_.Choose(question);
    error_ = replay_.error();
    if (!error_.empty()) return 0;
    trace_.push_back(DecisionOf(question, chosen));
    if (replay_.Finished()) error_ = "the process ends here";
    return chosen;
  }
  std::string name() const override { return "up_to_the_end"; }
  // Else questions about what a load reads would not be asked, and the rest not fit.
  interleave::Memory memory() const override { return replay_.memory(); }

  bool IsThere() const { return !trace_.empty() && replay_.Finished(); }
  Trace TakeTrace() { return std::move(trace_); }

 private:
  interleave::ReplayStrategy replay_;
  Trace trace_;
};

// What a child leaves in shared memory; initially all zero.
struct Kept {
  static constexpr uint32_t kMost = 1u << 16;

  std::atomic<uint32_t> count;  // of the decisions taken, those too that are not kept
  Decision decisions[kMost];
};

class KeepingStrategy final : public Strategy {
 public:
  KeepingStrategy(Strategy& asked, Kept& kept) : asked_(asked), kept_(kept) {}

  void Begin(uint64_t seed) override { asked_.Begin(seed); }
  int Choose(const Question& question) override {
    const int chosen = asked_.Choose(question);
    const uint32_t index = kept_.count.load(std::memory_order_relaxed);
    if (index < Kept::kMost) kept_.decisions[index] = DecisionOf(question, chosen);
    kept_.count.store(index + 1, std::memory_order_release);
    return chosen;
  }
  std::string name() const override { return asked_.name(); }
  interleave::Memory memory() const override { return asked_.memory(); }

 private:
  Strategy& asked_;
  Kept& kept_;
};

[[noreturn]] void RunAndExit(ProgramExplorer& explorer, Strategy& strategy, uint64_t seed) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Discards its output: it was shown when the failure was found.
  if (const int null = open("/dev/null", O_WRONLY | O_CLOEXEC); null >= 0) {
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
  }
  std::signal(SIGVTALRM, SIG_DFL);
  std::signal(SIGALRM, SIG_DFL);
  itimerval limit = {};
  limit.it_value.tv_usec = std::chrono::microseconds(kHangTime).count();
  setitimer(ITIMER_VIRTUAL, &limit, nullptr);
  alarm(kBlockedSeconds);
  explorer.Run(strategy, seed);
  _exit(0);
}

// "crash" or "hang"; empty: neither.
std::string_view EndOf(int status) {
  if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? "" : "crash";
  if (WTERMSIG(status) == SIGALRM) return "";
  return WTERMSIG(status) == SIGVTALRM ? "hang" : "crash";
}

}  // namespace

std::optional<CutOff> RunToTheEnd(ProgramExplorer& explorer, const Trace& decisions) {
  UpToTheEnd strategy(decisions);
  interleave::ProgramRun run = explorer.Run(strategy, 0, /*record_events=*/true);
  if (!strategy.IsThere()) return std::nullopt;
  return CutOff{strategy.TakeTrace(), std::move(run.outcome)};
}

std::string LastChoiceText(const CutOff& cut, std::string_view detector) {
  const Decision& last = cut.trace.back();
  int thread = last.thread;
  std::string choice = absl::StrCat(" decides ", DecisionName(last.kind), " ", last.chosen);
  if (last.kind == DecisionKind::kThread) {
    uint64_t runnable = last.runnable;
    for (int i = 0; i < last.chosen; ++i) runnable &= runnable - 1;
    thread = std::countr_zero(runnable);
    choice = " goes on";
  } else if (last.kind == DecisionKind::kSpurious) {
    choice = last.chosen == 1 ? " is woken for nothing" : " waits";
  } else if (last.kind == DecisionKind::kStream) {
    const int member = interleave::ThreadAt(last.runnable, last.chosen);
    choice = member == interleave::kHost
                 ? " lets no work go on"
                 : absl::StrCat(" lets stream ", member - 1, " of its device go on");
  }
  const auto index = static_cast<size_t>(thread);
  const auto& names = cut.outcome.thread_names;
  return absl::StrCat("then ",
                      index < names.size() ? names[index] : absl::StrCat("thread ", thread), choice,
                      detector == "hang" ? ", and it hangs" : ", and the process ends");
}

std::optional<Trace> FailureInAChild(ProgramExplorer& explorer, Strategy& strategy, uint64_t seed,
                                     std::string_view detector) {
  void* memory =
      mmap(nullptr, sizeof(Kept), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return std::nullopt;
  Kept& kept = *new (memory) Kept;
  KeepingStrategy keeping(strategy, kept);
  const pid_t child = fork();
  if (child == 0) RunAndExit(explorer, keeping, seed);
  int status = 0;
  std::optional<Trace> trace;
  if (child > 0 && waitpid(child, &status, 0) == child && EndOf(status) == detector &&
      kept.count.load(std::memory_order_acquire) <= Kept::kMost) {
    trace.emplace(kept.decisions, kept.decisions + kept.count.load(std::memory_order_acquire));
  }
  munmap(memory, sizeof(Kept));
  return trace;
}

Trace ShrinkCutOff(ProgramExplorer& explorer, const Trace& trace, std::string_view detector,
                   const std::function<bool()>& interrupt) {
  const auto run = [&](Strategy& strategy, uint64_t seed) -> std::optional<Trace> {
    if (interrupt()) return std::nullopt;
    return FailureInAChild(explorer, strategy, seed, detector);
  };
  return interleave::ShrinkSchedule(trace, run, kLimits).trace;
}

}  // namespace twingrad::findings
