// Fiber: a stack of its own and a place to go on from, on the one OS thread of an execution.
//
// Over the switch of Boost.Context, at the level below boost::context::fiber: that one frees a
// stack by unwinding it and ends a fiber by returning through instrumented frames, neither of which
// suits stacks that are left for good or TSan's shadow of the call stack. What a switch must take
// along besides registers is done here: the C++ exception globals (or two fibers that switch
// inside `catch` swap their exceptions), and ASan's and TSan's idea of the current stack.
//
// Fibers are used by one OS thread at a time. The body of a Fiber lets no exception out.
#ifndef PROPTESTS_INTERLEAVE_CHECKER_FIBER_H_
#define PROPTESTS_INTERLEAVE_CHECKER_FIBER_H_

#include <cstddef>
#include <functional>

#include "boost/context/detail/fcontext.hpp"

namespace twingrad::interleave {

// Address space of a stack; pages are taken as they are touched. A guard page lies below.
inline constexpr size_t kStackBytes = size_t{1} << 20;

class Fiber {
 public:
  // The OS thread's own stack: the fiber that the others are switched to from.
  Fiber();
  // Runs `body` once switched to; when it returns, the fiber has ended and `*then` goes on.
  Fiber(std::function<void()> body, Fiber* then);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  // A fiber that has begun must have ended or be abandoned: its stack is not unwound.
  ~Fiber();

  // Leaves `from`, which is running, and goes on with this one. Returns when something switches
  // back.
  void SwitchFrom(Fiber& from);
  // Gives up a fiber half-way: its stack stays mapped for ever, what it refers to counts as
  // reachable.
  void Abandon();
  bool ended() const { return ended_; }

 private:
  // What the C++ run-time keeps for each thread; the layout is fixed by the Itanium ABI.
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

#endif  // PROPTESTS_INTERLEAVE_CHECKER_FIBER_H_
