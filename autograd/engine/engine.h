// Engine: runs backward graphs.
//
//   Engine engine({.device_threads = 2});
//   engine.Execute(roots, seeds, /*keep_graph=*/false, /*create_graph=*/false,
//                  /*accumulate_grad=*/true);
//
// CPU nodes run on the calling thread, and on cpu_threads - 1 others where it pays; nodes of device
// d on worker d % device_threads, or on the caller too when there are no workers. A call made while
// a node or hook is evaluated runs entirely where it is made, so that it waits for nobody. Results
// do not depend on threads: see README.md.
//
// Threads: all members but the destructor may be called at once, also over one graph. Errors are
// thrown to the caller after every evaluation of the call has stopped; the engine stays usable.
// Prefer Backward and Grad of front_end.h, which check their arguments.
//
// Fork: an engine that has started threads throws Error(kInvalidArgument) from every call in a
// forked child, where these threads are not; one that has started none goes on there. A hook that
// forks must not return in the child.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "autograd/base/span.h"
#include "autograd/engine/call_future.h"
#include "autograd/engine/observer.h"
#include "autograd/graph/edge.h"
#include "autograd/graph/node.h"
#include "autograd/sync/clock.h"
#include "autograd/sync/hang_limit.h"
#include "autograd/sync/inspected.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

struct EngineOptions {
  // Worker threads for device nodes; 0: every node runs on the calling thread.
  int device_threads = 0;
  // Threads that may evaluate CPU nodes of one outermost call at the same time, the caller among
  // them; 1: the caller alone. Hooks and custom functions run where their node does.
  int cpu_threads = 1;
  // A call goes on with helpers once two nodes are ready and it has run this long, with nodes that
  // take longer than the hand-over costs; or the next one is expected to take this long by itself,
  // a nanosecond for each element of its gradient. Zero: as soon as two are ready.
  sync::Duration share_after = std::chrono::microseconds(50);
  // Whether a call warns of each leaf whose gradients come from other streams than its own, on
  // which they are added: that which was current when it was first used.
  bool warn_of_leaf_streams = false;
  // Must outlive the engine.
  EngineObserver* observer = nullptr;
  // How long the destructor waits for calls and threads. What runs longer, as a hook that hangs
  // does, is left alone: its threads, with their queues, stay for as long as the process. Absent:
  // as long as it takes.
  std::optional<sync::Duration> stop_deadline = sync::HangLimit(std::chrono::seconds(10));
};

class CallThreads;
class GraphTask;
class LocalRun;
class WorkerGroup;
struct ExecuteArguments;

class Engine {
 public:
  explicit Engine(EngineOptions options = {});
  // Stops. Beside asynchronous calls, which it waits for, no call may be running.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Without workers; never destroyed.
  static Engine& Default();

  // Sends `seeds`, one a root (undefined: zero), down the graph. `outputs` empty: every leaf
  // reached accumulates. Else only what leads to them runs: with accumulate_grad their nodes are
  // executed, without it the result has the gradient of each, undefined where none arrived.
  VariableList Execute(Span<const Edge> roots, Span<const Tensor> seeds, bool keep_graph,
                       bool create_graph, bool accumulate_grad, Span<const Edge> outputs = {});

  // The same on another thread of the engine's, as an outermost call. The future has the results or
  // the error. The call has the modes of this thread, and its nodes have order keys after those of
  // the nodes that this thread has made so far and before those that it makes from now on. Each
  // call that runs has a thread: Error(kUnsupported) if there is none to give. Not inside a call
  // and not after Stop (Error kInvalidArgument).
  CallFuture ExecuteAsync(std::vector<Edge> roots, std::vector<Tensor> seeds, bool keep_graph,
                          bool create_graph, bool accumulate_grad, std::vector<Edge> outputs = {});
  // Any function in place of a call.
  CallFuture Async(std::function<VariableList()> call);

  // Runs `callback` on the calling thread of the running call, after its last node; in the order
  // of this call. Error(kInvalidArgument) outside the evaluation of a node or hook, and for an
  // empty function.
  static void QueueCallback(std::function<void()> callback);

  // Whether the calls that run on this thread, however nested, all execute whatever they reach, so
  // that a node may run a whole backward of its own: false inside Grad and inside Backward with
  // inputs. True outside calls.
  static bool IsCheckpointValid();

  // Replaces the observer (null: none), which must outlive the engine or be replaced. Between calls
  // only.
  void SetObserver(EngineObserver* observer) { options_.observer = observer; }

  // Ends the workers and the threads of asynchronous calls once what runs is done; later calls run
  // on their callers' threads. May be called again. False if the time was up first, with the rest
  // still running. Error(kInvalidArgument) from inside a call, or a continuation of one.
  bool Stop(std::optional<sync::Duration> limit = std::nullopt);

 private:
  VariableList ExecuteHere(const ExecuteArguments& arguments);
  // The nodes of a task, then its callbacks.
  void RunTask(GraphTask& task);
  void RunNodes(GraphTask& task);
  // The same, after which the caller's streams wait for those of the nodes.
  void RunNodesOnStreams(GraphTask& task);
  // Whether what is left of the run is for several threads; it may go on here before that pays.
  bool GoesOnShared(LocalRun& run);
  void CheckNotForked() const;
  bool StopBy(std::optional<sync::TimePoint> deadline);

  EngineOptions options_;
  std::unique_ptr<WorkerGroup> workers_;  // null where there are none
  std::unique_ptr<CallThreads> call_threads_;
  AG_INSPECTED(Engine);
};

}  // namespace twingrad
