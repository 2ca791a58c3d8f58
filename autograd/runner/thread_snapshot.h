// ThreadSnapshot: what the engine keeps for the calling thread, to be compared after a call.
//
//   const ThreadSnapshot before;
//   ... a call, which may throw ...
//   record.left_changed = before.Changes();      // bits of program::ThreadPart
//
// Belongs to the thread that made it.

#pragma once

#include <cstdint>

#include "autograd/engine/evaluate.h"
#include "autograd/graph/thread_state.h"

namespace twingrad::runner {

class ThreadSnapshot {
 public:
  ThreadSnapshot();

  // Which parts of the thread's state are not what they were.
  uint32_t Changes() const;
  // How many order keys the thread has used up.
  uint64_t OrderKeysUsed() const { return CurrentThread().next_order_key - thread_.next_order_key; }

 private:
  ThreadState thread_;
  EngineThread engine_;
  bool inference_tensors_;
};

}  // namespace twingrad::runner
