// The switch for single-threaded calls.
//
//   MultithreadingGuard alone(false);   // until the end of the block
//   Backward({loss}, {}, {.engine = &engine});   // all on this thread, whatever the engine has
//
// A call made while it is off runs every node on the calling thread, workers or not, and takes the
// switch along: to its nested calls, also where they go on on another stack, to its callbacks, and
// to the asynchronous calls made meanwhile. Results do not depend on it. One switch a thread.

#pragma once

namespace twingrad {

bool MultithreadingIsEnabled();

class [[nodiscard]] MultithreadingGuard {
 public:
  explicit MultithreadingGuard(bool enabled);
  ~MultithreadingGuard();
  MultithreadingGuard(const MultithreadingGuard&) = delete;
  MultithreadingGuard& operator=(const MultithreadingGuard&) = delete;

 private:
  bool before_;
};

}  // namespace twingrad
