// The calls of the engine. See engine.h.

#include "autograd/engine/engine.h"

#include <cstdint>
#include <exception>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/engine/dependencies.h"
#include "autograd/engine/evaluate.h"
#include "autograd/engine/graph_task.h"
#include "autograd/engine/shared_run.h"
#include "autograd/engine/worker.h"
#include "autograd/graph/custom_node.h"
#include "autograd/graph/thread_state.h"
#include "autograd/sync/once.h"
#include "autograd/sync/thread.h"

namespace twingrad {
namespace {

// Calls nested this deep go on on a fresh thread's stack.
constexpr uint32_t kDepthOfOneStack = 60;
// Deeper nesting is taken for a recursion without end.
constexpr uint32_t kDeepest = 30'000;

constinit sync::Lazy<Engine> default_engine;

// Runs `body` on a thread of its own as if on this one: nodes it makes continue this thread's keys.
template <class Body>
void OnFreshStack(const Body& body) {
  ThreadState& here = CurrentThread();
  const ThreadState state = here;
  const EngineThread engine_thread = CurrentEngineThread();
  uint64_t next_order_key = 0;
  std::exception_ptr error;
  sync::Thread thread("ag_nested", [&] {
    OrderScope order(state.next_order_key, state.provisional);
    ModesScope modes(state.modes);
    CurrentThread().node = state.node;
    CurrentEngineThread() = engine_thread;
    try {
      body();
    } catch (...) {
      error = std::current_exception();
    }
    next_order_key = CurrentThread().next_order_key;
  });
  thread.Join();
  here.next_order_key = next_order_key;
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

// Of a call that has failed: its error stands, whatever the handler throws.
void ReplayQuietly(GraphTask& task) {
  try {
    task.ReplayWarnings();
  } catch (...) {
  }
}

}  // namespace

Engine::Engine(EngineOptions options) : options_(options) {
  if (options.device_threads < 0 || options.device_threads > 256) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[engine] ", options.device_threads,
                             " device threads; 0 to 256 are allowed; 0 runs all on the caller"));
  }
  if (options.device_threads > 0) {
    workers_ = std::make_unique<WorkerGroup>(options.device_threads);
  }
}

Engine::~Engine() = default;

Engine& Engine::Default() { return default_engine.Get(); }

VariableList Engine::Execute(absl::Span<const Edge> roots, absl::Span<const Tensor> seeds,
                             bool keep_graph, bool create_graph, bool accumulate_grad,
                             absl::Span<const Edge> outputs) {
  const ExecuteArguments arguments{roots,        seeds,           keep_graph,
                                   create_graph, accumulate_grad, outputs};
  const uint32_t depth = CurrentEngineThread().depth;
  const CustomCallPause pause;
  if (depth == 0 || depth % kDepthOfOneStack != 0) return ExecuteHere(arguments);
  if (depth >= kDeepest) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[engine] a call is nested ", depth, " deep in others; fewer than ",
                             kDeepest, " levels are allowed; look for a hook that runs itself"));
  }
  VariableList results;
  OnFreshStack([&] { results = ExecuteHere(arguments); });
  return results;
}

VariableList Engine::ExecuteHere(const ExecuteArguments& arguments) {
  GraphTask task(arguments, options_.observer);
  try {
    RunTask(task);
  } catch (...) {
    ReplayQuietly(task);
    throw;
  }
  task.ReplayWarnings();
  return task.TakeResults();
}

void Engine::RunTask(GraphTask& task) {
  ComputeDependencies(task);
  MarkNeeded(task);
  if (options_.observer != nullptr) options_.observer->OnGraphReady(ViewOf(task));
  // A nested call waits for nobody, so it uses no workers: no circle of waits can form.
  const bool may_share = workers_ != nullptr && CurrentEngineThread().depth == 0;
  if (may_share && SharedRun::IsWorthwhile(task) && workers_->Enter()) {
    Visit visit(*workers_);
    sync::MakeIntrusive<SharedRun>(task, *workers_)->Run();
  } else {
    RunLocally(task);
  }
  EvaluationScope scope(task);
  task.RunCallbacks();
}

void Engine::QueueCallback(std::function<void()> callback) {
  GraphTask* task = CurrentEngineThread().task;
  if (task == nullptr) {
    throw Error(ErrorKind::kInvalidArgument,
                "[engine] a callback is queued outside a call; nodes and hooks may queue them; "
                "queue it from a hook");
  }
  task->AddCallback(std::move(callback));
}

bool Engine::IsCheckpointValid() { return CurrentEngineThread().executes_all; }

void Engine::Stop() {
  if (CurrentEngineThread().depth > 0) {
    throw Error(ErrorKind::kInvalidArgument,
                "[engine] Stop is called from inside a call, which it would wait for; it is "
                "allowed outside calls; stop the engine after the call");
  }
  if (workers_ != nullptr) workers_->Stop();
}

}  // namespace twingrad
