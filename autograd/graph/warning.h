// Warnings: what the user should know, although the computation goes on.
//
//   Warn("[graph] the gradient is not contiguous; ...");          // anywhere in the engine
//
//   CollectedWarnings seen;                                       // in the user's code
//   WarningHandlerScope scope(seen);
//   Backward({y});                                                // seen.warnings(), afterwards
//
// A warning raised while a call evaluates nodes, on whatever thread, is kept until the end of the
// call and then handed to the handler of the calling thread, also if the call failed. The order is
// that of a run on one thread. What a handler throws at that moment is the call's error, unless the
// call has one already. Without a handler each place that warns prints its first warning to
// standard error.
//
// Threads: a handler belongs to the thread whose scope sets it, and to the calls that this thread
// makes; only if several threads set the same one must it be thread-safe.

#pragma once

#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "autograd/graph/thread_state.h"

namespace twingrad {

struct Warning {
  // "[part] what is odd about the actual values; what it means; what to do".
  std::string message;
  // Where it was raised.
  std::source_location site;
};

class WarningHandler {
 public:
  virtual void Handle(const Warning& warning) = 0;

 protected:
  ~WarningHandler() = default;
};

// Hands a warning to the handler of this thread.
void Warn(std::string message, std::source_location site = std::source_location::current());
void Warn(const Warning& warning);

// Sets the handler of this thread until the end of the block; it must live as long.
class [[nodiscard]] WarningHandlerScope {
 public:
  explicit WarningHandlerScope(WarningHandler& handler)
      : before_(std::exchange(CurrentThread().modes.warning_handler, &handler)) {}
  ~WarningHandlerScope() { CurrentThread().modes.warning_handler = before_; }
  WarningHandlerScope(const WarningHandlerScope&) = delete;
  WarningHandlerScope& operator=(const WarningHandlerScope&) = delete;

 private:
  WarningHandler* before_;
};

// Keeps warnings in the order in which they came. Of one thread.
class CollectedWarnings final : public WarningHandler {
 public:
  void Handle(const Warning& warning) override { warnings_.push_back(warning); }
  const std::vector<Warning>& warnings() const { return warnings_; }
  // The messages alone.
  std::vector<std::string> Messages() const;

 private:
  std::vector<Warning> warnings_;
};

}  // namespace twingrad
