// Waiting for calls and continuing them. See call_future.h.

#include "autograd/engine/call_future.h"

#include <utility>

#include "autograd/base/error.h"
#include "autograd/engine/evaluate.h"

namespace twingrad {
namespace {

// Of a call that is not over.
void CheckMayWait() {
  if (CurrentEngineThread().depth == 0) return;
  throw Error(ErrorKind::kInvalidArgument,
              "[engine] a node or hook of a running call was to wait for an asynchronous call, "
              "which may need this very thread; waiting is allowed outside calls; wait there, or "
              "continue with Then");
}

}  // namespace

CallFuture::State& CallFuture::Checked() const {
  if (state_ != nullptr) return *state_;
  throw Error(ErrorKind::kInvalidArgument,
              "[engine] a future of no call was used; asynchronous calls and Then give futures; "
              "check is_valid() first");
}

bool CallFuture::IsReady() const {
  State& state = Checked();
  sync::MutexLock lock(state.mutex);
  return state.is_ready.Read();
}

void CallFuture::Wait() const {
  State& state = Checked();
  sync::MutexLock lock(state.mutex);
  if (!state.is_ready.Read()) CheckMayWait();
  while (!state.is_ready.Read()) state.changed.Wait(state.mutex);
}

bool CallFuture::WaitUntil(sync::TimePoint deadline) const {
  State& state = Checked();
  sync::MutexLock lock(state.mutex);
  if (!state.is_ready.Read()) CheckMayWait();
  while (!state.is_ready.Read()) {
    if (!state.changed.WaitUntil(state.mutex, deadline) && sync::Now() >= deadline) break;
  }
  return state.is_ready.Read();
}

VariableList CallFuture::Get() const {
  Wait();
  State& state = Checked();
  std::exception_ptr error;
  {
    sync::MutexLock lock(state.mutex);
    error = state.error.Read();
    if (error == nullptr) return state.results.Read();
  }
  std::rethrow_exception(error);
}

CallFuture CallFuture::Then(Continuation continuation) const {
  State& state = Checked();
  if (continuation == nullptr) {
    throw Error(ErrorKind::kInvalidArgument,
                "[engine] a call was to be continued by an empty function; any that can be called "
                "is allowed; leave Then out");
  }
  Waiting waiting{std::move(continuation), sync::MakeShared<State>(), Surroundings::OfAsync()};
  const CallFuture result(waiting.result);
  {
    sync::MutexLock lock(state.mutex);
    if (!state.is_ready.Read()) {
      state.continuations.Mutable().push_back(std::move(waiting));
      return result;
    }
  }
  Continue(*this, waiting);
  return result;
}

void CallFuture::Continue(const CallFuture& call, Waiting& waiting) {
  waiting.surroundings.Run([&] {
    CallPromise(std::move(waiting.result))
        .Fulfil(
            [&call, continuation = std::move(waiting.continuation)] { return continuation(call); });
  });
}

CallPromise::CallPromise() : state_(sync::MakeShared<CallFuture::State>()) {}

void CallPromise::Fulfil(std::function<VariableList()> call) const {
  VariableList results;
  std::exception_ptr error;
  try {
    results = call();
  } catch (...) {
    error = std::current_exception();
  }
  call = nullptr;  // whoever waits finds the graph let go
  std::vector<CallFuture::Waiting> continuations;
  {
    sync::MutexLock lock(state_->mutex);
    state_->results.Write(std::move(results));
    state_->error.Write(std::move(error));
    state_->is_ready.Write(true);
    continuations = std::move(state_->continuations.Mutable());
    state_->changed.NotifyAll();
  }
  for (CallFuture::Waiting& waiting : continuations) {
    CallFuture::Continue(CallFuture(state_), waiting);
    waiting.continuation = nullptr;
  }
}

}  // namespace twingrad
