// Surroundings: what a call takes along from the thread that makes it to another that runs it:
// modes, current streams, order keys, the task and depth of the evaluation it is made in.

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/device/stream.h"
#include "autograd/engine/evaluate.h"
#include "autograd/graph/thread_state.h"

namespace twingrad {

class Surroundings {
 public:
  // Of a call whose caller waits: nodes continue the caller's keys.
  static Surroundings OfCaller() { return {CurrentThread(), CurrentEngineThread()}; }
  // Of an outermost call whose caller goes on: its nodes get a range of keys of their own, fixed
  // now, so that order does not depend on which thread is faster.
  static Surroundings OfAsync() {
    EngineThread engine;
    engine.is_alone = CurrentEngineThread().is_alone;
    Surroundings here(CurrentThread(), engine);
    here.state_.next_order_key = ReserveOrderKeys(kKeysOfAsync);
    here.state_.provisional = nullptr;
    // These point to guards that may end before the call does.
    here.state_.modes.saved_tensor_hooks = nullptr;
    here.state_.modes.node_creation = nullptr;
    here.state_.modes.call_state = nullptr;
    here.state_.modes.warning_handler = nullptr;
    here.state_.modes.anomaly_label = nullptr;
    here.state_.node = nullptr;
    here.state_.turn = nullptr;
    return here;
  }

  // Runs `body`, which does not throw, as if there; returns the order key that comes next.
  template <class Body>
  uint64_t Run(const Body& body) const {
    OrderScope order(state_.next_order_key, state_.provisional);
    ModesScope modes(state_.modes);
    StreamsGuard streams(streams_);
    Node* const node = std::exchange(CurrentThread().node, state_.node);
    const GradTurn* const turn = std::exchange(CurrentThread().turn, state_.turn);
    const EngineThread before = std::exchange(CurrentEngineThread(), engine_);
    body();
    CurrentEngineThread() = before;
    CurrentThread().node = node;
    CurrentThread().turn = turn;
    return CurrentThread().next_order_key;
  }

 private:
  static constexpr uint64_t kKeysOfAsync = uint64_t{1} << 32;

  Surroundings(const ThreadState& state, const EngineThread& engine)
      : state_(state), engine_(engine) {}

  ThreadState state_;
  EngineThread engine_;
  std::vector<Stream> streams_ = CurrentStreams();
};

}  // namespace twingrad
