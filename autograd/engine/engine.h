// Engine: runs backward graphs.
//
//   Engine engine({.device_threads = 2});
//   engine.Execute(roots, seeds, /*keep_graph=*/false, /*create_graph=*/false,
//                  /*accumulate_grad=*/true);
//
// CPU nodes run on the calling thread; nodes of device d on worker d % device_threads, or on the
// caller too when there are no workers. A call made while a node or hook is evaluated runs entirely
// where it is made, so that it waits for nobody. Results do not depend on threads: see README.md.
//
// Threads: all members but the destructor may be called at once, also over one graph. Errors are
// thrown to the caller after every evaluation of the call has stopped; the engine stays usable.
// Prefer Backward and Grad of front_end.h, which check their arguments.

#pragma once

#include <functional>
#include <memory>

#include "absl/types/span.h"
#include "autograd/engine/observer.h"
#include "autograd/graph/edge.h"
#include "autograd/graph/node.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

struct EngineOptions {
  // Worker threads for device nodes; 0: every node runs on the calling thread.
  int device_threads = 0;
  // Must outlive the engine.
  EngineObserver* observer = nullptr;
};

class GraphTask;
class WorkerGroup;
struct ExecuteArguments;

class Engine {
 public:
  explicit Engine(EngineOptions options = {});
  // Stops. No call may be running.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Without workers; never destroyed.
  static Engine& Default();

  // Sends `seeds`, one a root (undefined: zero), down the graph. `outputs` empty: every leaf
  // reached accumulates. Else only what leads to them runs: with accumulate_grad their nodes are
  // executed, without it the result has the gradient of each, undefined where none arrived.
  VariableList Execute(absl::Span<const Edge> roots, absl::Span<const Tensor> seeds,
                       bool keep_graph, bool create_graph, bool accumulate_grad,
                       absl::Span<const Edge> outputs = {});

  // Runs `callback` on the calling thread of the running call, after its last node; in the order
  // of this call. Error(kInvalidArgument) outside the evaluation of a node or hook.
  static void QueueCallback(std::function<void()> callback);

  // Whether the calls that run on this thread, however nested, all execute whatever they reach, so
  // that a node may run a whole backward of its own: false inside Grad and inside Backward with
  // inputs. True outside calls.
  static bool IsCheckpointValid();

  // Replaces the observer (null: none), which must outlive the engine or be replaced. Between calls
  // only.
  void SetObserver(EngineObserver* observer) { options_.observer = observer; }

  // Ends the workers once running calls are done; later calls run on their callers' threads. May be
  // called again. Error(kInvalidArgument) from inside a call.
  void Stop();

 private:
  VariableList ExecuteHere(const ExecuteArguments& arguments);
  // The nodes of a task, then its callbacks.
  void RunTask(GraphTask& task);

  EngineOptions options_;
  std::unique_ptr<WorkerGroup> workers_;
};

}  // namespace twingrad
