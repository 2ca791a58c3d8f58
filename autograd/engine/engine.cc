// The calls of the engine. See engine.h.

#include "autograd/engine/engine.h"

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/engine/call_threads.h"
#include "autograd/engine/dependencies.h"
#include "autograd/engine/evaluate.h"
#include "autograd/engine/gradient_streams.h"
#include "autograd/engine/graph_task.h"
#include "autograd/engine/local_run.h"
#include "autograd/engine/shared_run.h"
#include "autograd/engine/surroundings.h"
#include "autograd/engine/worker.h"
#include "autograd/graph/custom_node.h"
#include "autograd/graph/thread_state.h"
#include "autograd/sync/atomic.h"
#include "autograd/sync/once.h"

namespace twingrad {
namespace {

// Calls nested this deep go on on a fresh thread's stack.
constexpr uint32_t kDepthOfOneStack = 60;
// Deeper nesting is taken for a recursion without end.
constexpr uint32_t kDeepest = 30'000;

constinit sync::Lazy<Engine> default_engine;

// What an engine leaves behind, reachable for as long as the process lives.
struct Leftover {
  WorkerGroup* workers;
  CallThreads* call_threads;
  Leftover* next;
};
constinit sync::Atomic<Leftover*> leftovers{nullptr};

void LeaveBehind(std::unique_ptr<WorkerGroup> workers, std::unique_ptr<CallThreads> call_threads) {
  auto* leftover = new Leftover{workers.release(), call_threads.release(), nullptr};
  leftover->next = leftovers.Load(sync::kRelaxed);
  while (!leftovers.CompareExchangeWeak(leftover->next, leftover, sync::kRelease, sync::kRelaxed)) {
  }
}

// Calls `body` on the stack of another thread as if on this one: its nodes continue this thread's
// keys.
template <class Body>
void OnFreshStack(CallThreads& threads, const Body& body) {
  const Surroundings here = Surroundings::OfCaller();
  uint64_t next_order_key = 0;
  std::exception_ptr error;
  threads.RunAndWait([&] {
    next_order_key = here.Run([&] {
      try {
        body();
      } catch (...) {
        error = std::current_exception();
      }
    });
  });
  CurrentThread().next_order_key = next_order_key;
  if (error != nullptr) std::rethrow_exception(error);
}

// Announces a shared run for as long as it lives.
class Visit {
 public:
  explicit Visit(WorkerGroup& workers) : workers_(workers) {}
  ~Visit() { workers_.Leave(); }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

 private:
  WorkerGroup& workers_;
};

// Does what is to be done of a call that fails, whose error stands, whatever else is thrown. The
// error is not caught on its way: a catch that throws on costs as much as the first throw. `action`
// outlives what is returned.
template <class Action>
auto IfItFails(Action& action) {
  return absl::Cleanup([&action] {
    try {
      action();
    } catch (...) {
    }
  });
}

}  // namespace

Engine::Engine(EngineOptions options) : options_(options) {
  if (options.device_threads < 0 || options.device_threads > 256) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[engine] ", options.device_threads,
                             " device threads; 0 to 256 are allowed; 0 runs all on the caller"));
  }
  if (options.cpu_threads < 1 || options.cpu_threads > 256) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[engine] ", options.cpu_threads,
                             " CPU threads; 1 to 256 are allowed; 1 is the caller alone"));
  }
  if (options.device_threads > 0 || options.cpu_threads > 1) {
    workers_ = std::make_unique<WorkerGroup>(options.device_threads, options.cpu_threads - 1);
  }
  call_threads_ = std::make_unique<CallThreads>();
}

Engine::~Engine() {
  std::optional<sync::TimePoint> deadline;
  if (options_.stop_deadline.has_value()) deadline = sync::Now() + *options_.stop_deadline;
  const bool are_gone = call_threads_->AreGone() || (workers_ != nullptr && workers_->AreGone());
  const bool waits_for_itself = call_threads_->IsServing() || CurrentEngineThread().depth > 0;
  if (are_gone || waits_for_itself || !StopBy(deadline)) {
    LeaveBehind(std::move(workers_), std::move(call_threads_));
  }
}

bool Engine::StopBy(std::optional<sync::TimePoint> deadline) {
  // Asynchronous calls use the workers.
  return call_threads_->Stop(deadline) && (workers_ == nullptr || workers_->Stop(deadline));
}

void Engine::CheckNotForked() const {
  if (!call_threads_->AreGone() && (workers_ == nullptr || !workers_->AreGone())) [[likely]]
    return;
  throw Error(ErrorKind::kInvalidArgument,
              "[engine] a call was made in a forked child of an engine that had started threads, "
              "which a fork does not copy; a child may use engines that had started none; make an "
              "Engine in the child, or fork before the first call");
}

Engine& Engine::Default() { return default_engine.Get(); }

VariableList Engine::Execute(Span<const Edge> roots, Span<const Tensor> seeds, bool keep_graph,
                             bool create_graph, bool accumulate_grad, Span<const Edge> outputs) {
  const ExecuteArguments arguments{roots,        seeds,           keep_graph,
                                   create_graph, accumulate_grad, outputs};
  CheckNotForked();
  const uint32_t depth = CurrentEngineThread().depth;
  const CustomCallPause pause;
  if (depth == 0 || depth % kDepthOfOneStack != 0) return ExecuteHere(arguments);
  if (depth >= kDeepest) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[engine] a call is nested ", depth, " deep in others; fewer than ",
                             kDeepest, " levels are allowed; look for a hook that runs itself"));
  }
  VariableList results;
  OnFreshStack(*call_threads_, [&] { results = ExecuteHere(arguments); });
  return results;
}

VariableList Engine::ExecuteHere(const ExecuteArguments& arguments) {
  GraphTask task(arguments, options_.observer);
  const auto replay = [&task] { task.ReplayWarnings(); };
  auto if_it_fails = IfItFails(replay);
  RunTask(task);
  std::move(if_it_fails).Cancel();
  replay();
  return task.TakeResults();
}

void Engine::RunTask(GraphTask& task) {
  ComputeDependencies(task);
  MarkNeeded(task);
  task.FindStreams(options_.warn_of_leaf_streams);
  if (options_.observer != nullptr) options_.observer->OnGraphReady(ViewOf(task));
  if (task.streams() == nullptr) [[likely]] {
    RunNodes(task);
  } else {
    RunNodesOnStreams(task);
  }
  EvaluationScope scope(task);
  task.RunCallbacks();
}

void Engine::RunNodes(GraphTask& task) {
  LocalRun run(task);
  if (GoesOnShared(run) && workers_->Enter()) {
    Visit visit(*workers_);
    sync::MakeIntrusive<SharedRun>(run, *workers_)->Run();
  } else {
    run.GoOn();
  }
}

void Engine::RunNodesOnStreams(GraphTask& task) {
  // What did run of a call that fails has written gradients, which the caller may look at.
  const auto finish = [&task] { task.streams()->Finish(task); };
  auto if_it_fails = IfItFails(finish);
  RunNodes(task);
  std::move(if_it_fails).Cancel();
  finish();
}

bool Engine::GoesOnShared(LocalRun& run) {
  // A nested call waits for nobody, so it uses no workers: no circle of waits can form.
  const EngineThread& thread = CurrentEngineThread();
  if (workers_ == nullptr || thread.depth > 0 || thread.is_alone) return false;
  if (SharedRun::HasDeviceNodes(run.task())) return workers_->HasDeviceWorkers();
  return workers_->helpers() > 0 && run.GoOnUntil(SharingRule(options_.share_after));
}

CallFuture Engine::Async(std::function<VariableList()> call) {
  CheckNotForked();
  if (call == nullptr || CurrentEngineThread().depth > 0) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[engine] an asynchronous call was made ",
                             call == nullptr ? "of an empty function" : "from inside a call",
                             "; it is allowed outside calls and in continuations; in a node or "
                             "hook use Execute"));
  }
  CallPromise promise;
  const CallFuture future = promise.future();
  call_threads_->Post([promise, call = std::move(call), there = Surroundings::OfAsync()]() mutable {
    there.Run([&] { promise.Fulfil(std::move(call)); });
  });
  return future;
}

CallFuture Engine::ExecuteAsync(std::vector<Edge> roots, std::vector<Tensor> seeds, bool keep_graph,
                                bool create_graph, bool accumulate_grad,
                                std::vector<Edge> outputs) {
  return Async([this, roots = std::move(roots), seeds = std::move(seeds), keep_graph, create_graph,
                accumulate_grad, outputs = std::move(outputs)] {
    return Execute(roots, seeds, keep_graph, create_graph, accumulate_grad, outputs);
  });
}

void Engine::QueueCallback(std::function<void()> callback) {
  GraphTask* task = CurrentEngineThread().task;
  if (task == nullptr) {
    throw Error(ErrorKind::kInvalidArgument,
                "[engine] a callback is queued outside a call; nodes and hooks may queue them; "
                "queue it from a hook");
  }
  if (!callback) {
    throw Error(ErrorKind::kInvalidArgument,
                "[engine] the callback is an empty function; it must be one that can be called; "
                "leave it out");
  }
  task->AddCallback(std::move(callback));
}

bool Engine::IsCheckpointValid() { return CurrentEngineThread().executes_all; }

bool Engine::Stop(std::optional<sync::Duration> limit) {
  CheckNotForked();
  if (CurrentEngineThread().depth > 0 || call_threads_->IsServing()) {
    throw Error(ErrorKind::kInvalidArgument,
                "[engine] Stop is called from inside a call or a continuation of one, which it "
                "would wait for; it is allowed outside calls; stop the engine after the call");
  }
  std::optional<sync::TimePoint> deadline;
  if (limit.has_value()) deadline = sync::Now() + *limit;
  return StopBy(deadline);
}

}  // namespace twingrad
