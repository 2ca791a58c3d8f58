// Fiber: a stack of its own and the point where it resumes. All fibers of an execution share one OS
// thread.
//
// It uses the context switch of Boost.Context directly, below boost::context::fiber. That class
// frees a stack by unwinding it, which does not suit stacks that are abandoned, and ends a fiber by
// returning through instrumented frames, which does not suit TSan's shadow call stack. Besides the
// registers, a switch here also saves and restores the C++ exception globals (otherwise two fibers
// that switch inside `catch` would swap their exceptions) and tells ASan and TSan which stack is
// current.
//
// Only one OS thread at a time may use fibers. The body of a Fiber must not let an exception
// escape.
#pragma once

#include <cstddef>
#include <functional>

#include "boost/context/detail/fcontext.hpp"

namespace twingrad::interleave {

// Address space of one stack; pages are committed when touched. A guard page lies below it.
inline constexpr size_t kStackBytes = size_t{1} << 20;

class Fiber {
 public:
  // The OS thread's own stack: the fiber from which the others are first entered.
  Fiber();
  // Runs `body` when first switched to. When `body` returns, the fiber has ended and `*then`
  // resumes.
  Fiber(std::function<void()> body, Fiber* then);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  // A fiber that has begun must have ended or been abandoned, because its stack is not unwound.
  ~Fiber();

  // Suspends `from`, the running fiber, and resumes this one. Returns when something switches back
  // to `from`.
  void SwitchFrom(Fiber& from);
  // Abandons a suspended fiber: its stack stays mapped for ever, and a leak checker counts what the
  // stack refers to as reachable.
  void Abandon();
  bool ended() const { return ended_; }

 private:
  // The C++ runtime's per-thread exception state; the Itanium ABI fixes the layout.
  struct ExceptionGlobals {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  };

  static void Enter(boost::context::detail::transfer_t transfer);
  static void Switch(Fiber& from, Fiber& to, bool for_good);
  static void Arrive(Fiber& at, boost::context::detail::fcontext_t came_from);

  std::function<void()> body_;
  Fiber* then_ = nullptr;
  boost::context::detail::fcontext_t context_ = nullptr;
  char* stack_bottom_ = nullptr;  // lowest usable address
  size_t stack_bytes_ = 0;
  ExceptionGlobals exceptions_;
  [[maybe_unused]] void* asan_fake_stack_ = nullptr;
  [[maybe_unused]] void* tsan_fiber_ = nullptr;
  bool is_main_ = false;
  bool ended_ = false;
  bool abandoned_ = false;
};

}  // namespace twingrad::interleave
