// Two translation units of one program, for //autograd/sync:backend_mix_test: a class with a
// sync::Mutex member, whose name mangles alike in both back ends although its size does not, and a
// main that uses it. BUILD.bazel compiles this file once for each half.
#include "autograd/sync/mutex.h"

namespace twingrad::sync {

class MixedCounter {
 public:
  int Increment() AG_EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  int count_ AG_GUARDED_BY(mutex_) = 0;
};

#if defined(BACKEND_MIX_CALLEE)
int MixedCounter::Increment() {
  MutexLock lock(mutex_);
  return ++count_;
}
#endif

}  // namespace twingrad::sync

#if defined(BACKEND_MIX_CALLER)
int main() {
  twingrad::sync::MixedCounter counter;
  counter.Increment();
  return counter.Increment() == 2 ? 0 : 1;
}
#endif
