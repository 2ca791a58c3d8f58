// Switching fibers, with all that has to follow; see fiber.h.
#include "proptests/interleave/checker/fiber.h"

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#if defined(__has_feature)
#define TWINGRAD_HAS_FEATURE(x) __has_feature(x)
#else
#define TWINGRAD_HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || TWINGRAD_HAS_FEATURE(address_sanitizer)
#define TWINGRAD_ASAN 1
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#endif
#if defined(__SANITIZE_THREAD__) || TWINGRAD_HAS_FEATURE(thread_sanitizer)
#define TWINGRAD_TSAN 1
#include <sanitizer/tsan_interface.h>
#endif

// For functions that switch stacks: TSan would record their entry on the shadow call stack of one
// fiber and their exit on that of another.
#define TWINGRAD_SWITCHES_STACK __attribute__((no_sanitize("thread")))

namespace twingrad::interleave {

namespace {

// The fiber that made the last switch; the fiber that resumes stores the other's context in it.
Fiber* switching_from = nullptr;

size_t PageBytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

Fiber::Fiber() : is_main_(true) {
#if defined(TWINGRAD_TSAN)
  tsan_fiber_ = __tsan_get_current_fiber();
#endif
}

Fiber::Fiber(std::function<void()> body, Fiber* then) : body_(std::move(body)), then_(then) {
  const size_t total = kStackBytes + PageBytes();
  void* memory = mmap(nullptr, total, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mprotect(memory, PageBytes(), PROT_NONE);
  stack_bottom_ = static_cast<char*>(memory) + PageBytes();
  stack_bytes_ = kStackBytes;
  context_ =
      boost::context::detail::make_fcontext(stack_bottom_ + stack_bytes_, stack_bytes_, &Enter);
#if defined(TWINGRAD_TSAN)
  tsan_fiber_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
  if (is_main_ || abandoned_) return;
#if defined(TWINGRAD_TSAN)
  __tsan_destroy_fiber(tsan_fiber_);
#endif
#if defined(TWINGRAD_ASAN)
  // The memory must not stay poisoned: the addresses may be mapped again.
  __asan_unpoison_memory_region(stack_bottom_, stack_bytes_);
#endif
  munmap(stack_bottom_ - PageBytes(), stack_bytes_ + PageBytes());
}

void Fiber::Abandon() {
  abandoned_ = true;
  // A process may have some 65,000 mappings. Without their guard pages, stacks that lie side by
  // side are one, so that many thousands of executions can be abandoned.
  mprotect(stack_bottom_ - PageBytes(), PageBytes(), PROT_READ | PROT_WRITE);
#if defined(TWINGRAD_ASAN)
  __lsan_register_root_region(stack_bottom_, stack_bytes_);
  // If use-after-return detection is on, locals live in ASan's fake stack: 11 size classes of
  // frames, each as large as the stack, and flags. LSan does not scan what is not mapped.
  if (asan_fake_stack_ != nullptr) {
    __lsan_register_root_region(asan_fake_stack_, 12 * kStackBytes);
  }
#endif
}

void Fiber::SwitchFrom(Fiber& from) { Switch(from, *this, /*for_good=*/false); }

TWINGRAD_SWITCHES_STACK void Fiber::Switch(Fiber& from, Fiber& to, bool for_good) {
  static_assert(sizeof(ExceptionGlobals) == 2 * sizeof(void*));
  void* const globals = abi::__cxa_get_globals();
  std::memcpy(static_cast<void*>(&from.exceptions_), globals, sizeof(ExceptionGlobals));
  std::memcpy(globals, &to.exceptions_, sizeof(ExceptionGlobals));
  switching_from = &from;
#if defined(TWINGRAD_ASAN)
  __sanitizer_start_switch_fiber(for_good ? nullptr : &from.asan_fake_stack_, to.stack_bottom_,
                                 to.stack_bytes_);
#else
  (void)for_good;
#endif
#if defined(TWINGRAD_TSAN)
  __tsan_switch_to_fiber(to.tsan_fiber_, 0);
#endif
  const auto transfer = boost::context::detail::jump_fcontext(to.context_, &to);
  Arrive(from, transfer.fctx);
}

TWINGRAD_SWITCHES_STACK void Fiber::Arrive(Fiber& at,
                                           boost::context::detail::fcontext_t came_from) {
#if defined(TWINGRAD_ASAN)
  const void* bottom = nullptr;
  size_t bytes = 0;
  __sanitizer_finish_switch_fiber(at.asan_fake_stack_, &bottom, &bytes);
  // The bounds of the OS thread's own stack become known when it is first left.
  if (switching_from->is_main_) {
    switching_from->stack_bottom_ = static_cast<char*>(const_cast<void*>(bottom));
    switching_from->stack_bytes_ = bytes;
  }
#else
  (void)at;
#endif
  switching_from->context_ = came_from;
}

TWINGRAD_SWITCHES_STACK void Fiber::Enter(boost::context::detail::transfer_t transfer) {
  Fiber& self = *static_cast<Fiber*>(transfer.data);
  Arrive(self, transfer.fctx);
  self.body_();
  self.ended_ = true;
  Switch(self, *self.then_, /*for_good=*/true);
  std::abort();  // nobody switches to a fiber that has ended
}

}  // namespace twingrad::interleave
