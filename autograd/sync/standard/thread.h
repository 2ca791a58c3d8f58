// Thread over std::thread. Included by autograd/sync/thread.h only.
#pragma once

#include <pthread.h>

#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "autograd/base/check.h"

namespace twingrad::sync {

class Thread {
 public:
  Thread() = default;
  Thread(std::string name, std::function<void()> body)
      : thread_([name = name.substr(0, 15), body = std::move(body)] {
          pthread_setname_np(pthread_self(), name.c_str());
          body();
        }) {}
  Thread(Thread&&) = default;
  Thread& operator=(Thread&& other) {
    AG_CHECK(!IsJoinable(), "[sync] a thread is replaced before it was joined; call Join() first");
    thread_ = std::move(other.thread_);
    return *this;
  }
  ~Thread() {
    AG_CHECK(!IsJoinable(), "[sync] a thread is destroyed before it was joined; call Join() first");
  }

  bool IsJoinable() const { return thread_.joinable(); }
  void Join() { thread_.join(); }

  // At least 1.
  static int HardwareConcurrency() {
    const unsigned count = std::thread::hardware_concurrency();
    return count == 0 ? 1 : static_cast<int>(count);
  }
  // Lets another thread run first.
  static void Yield() { std::this_thread::yield(); }

 private:
  std::thread thread_;
};

}  // namespace twingrad::sync
