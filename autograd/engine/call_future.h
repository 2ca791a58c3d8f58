// CallFuture: the results, or the error, of a call that runs on another thread.
//
//   CallFuture done = BackwardAsync({loss}, {}, {.engine = &engine});
//   done.Then([&](const CallFuture& call) { call.Get(); return Grad({next}, {x}); });
//   done.Get();                          // waits; throws what the call threw
//
// A handle: copies share one state. A future that is dropped changes nothing: the call runs to its
// end, keeps its graph until then, and its results or error are dropped with it. No lock is held
// while the call or a continuation runs. Any thread.

#pragma once

#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include "autograd/engine/surroundings.h"
#include "autograd/graph/node.h"
#include "autograd/sync/annotations.h"
#include "autograd/sync/cell.h"
#include "autograd/sync/clock.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/shared.h"

namespace twingrad {

class CallFuture {
 public:
  using Continuation = std::function<VariableList(const CallFuture& call)>;

  // Of no call: every other member needs one that a call gave.
  CallFuture() = default;
  bool is_valid() const { return state_ != nullptr; }

  // Whether the call is over.
  bool IsReady() const;
  // Waits until it is, or until the deadline (then false). Inside a node or hook of a running call
  // only what is ready can be waited for, else Error(kInvalidArgument): the call might need the
  // thread that would wait.
  void Wait() const;
  bool WaitUntil(sync::TimePoint deadline) const;
  // Waits; the results of the call, or its error.
  VariableList Get() const;

  // Runs `continuation` once the call is over, with this future: on the thread that ran the call,
  // in the order of Then, or here and now if the call is over already. It runs with the modes of
  // this thread and order keys that are fixed now, and may call the engine. What it returns or
  // throws is in the future that this returns.
  CallFuture Then(Continuation continuation) const;

 private:
  friend class CallPromise;
  struct Waiting;
  struct State {
    sync::Mutex mutex{"call_future"};
    sync::CondVar changed{"call_future.changed"};
    sync::Cell<bool> is_ready AG_GUARDED_BY(mutex){false};
    sync::Cell<VariableList> results AG_GUARDED_BY(mutex);
    sync::Cell<std::exception_ptr> error AG_GUARDED_BY(mutex);
    sync::Cell<std::vector<Waiting>> continuations AG_GUARDED_BY(mutex);
  };
  struct Waiting {
    Continuation continuation;
    sync::SharedPtr<State> result;
    Surroundings surroundings;
  };

  explicit CallFuture(sync::SharedPtr<State> state) : state_(std::move(state)) {}
  State& Checked() const;
  static void Continue(const CallFuture& call, Waiting& waiting);

  sync::SharedPtr<State> state_;
};

// The other end: where a call puts what it has to say.
class CallPromise {
 public:
  CallPromise();
  CallFuture future() const { return CallFuture(state_); }
  // Runs `call`, drops it, makes the future ready and runs the continuations. Once; any thread.
  void Fulfil(std::function<VariableList()> call) const;

 private:
  friend class CallFuture;
  explicit CallPromise(sync::SharedPtr<CallFuture::State> state) : state_(std::move(state)) {}

  sync::SharedPtr<CallFuture::State> state_;
};

}  // namespace twingrad
