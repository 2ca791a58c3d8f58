// CallState: a value of the user's that calls take along, as they do the modes.
//
//   CallState<std::string> request;                       // a key; lives as long as its scopes
//   CallStateScope scope(request, std::string("r17"));    // on this thread, until the block ends
//   Backward({y});                                        // request.Find() is "r17" in every hook
//
// A scope belongs to a thread. Every thread that evaluates a node of a call sees the values that
// the calling thread had, so do nested calls and callbacks. Asynchronous calls do not take them
// along, because the scopes may end before the call does. Of nested scopes of one key the inner one
// counts.
//
// Threads: values are read only; several threads of one call may read one at a time.

#pragma once

#include <utility>

#include "autograd/graph/thread_state.h"

namespace twingrad {

// A scope in force; Modes points to the innermost one of any key.
struct CallStateFrame {
  const void* key;
  const void* value;
  const CallStateFrame* outer;
};

template <class T>
class CallState {
 public:
  CallState() = default;
  CallState(const CallState&) = delete;
  CallState& operator=(const CallState&) = delete;

  // Null where no scope of this key is in force.
  const T* Find() const {
    const CallStateFrame* frame = CurrentThread().modes.call_state;
    while (frame != nullptr && frame->key != this) frame = frame->outer;
    return frame == nullptr ? nullptr : static_cast<const T*>(frame->value);
  }
};

template <class T>
class [[nodiscard]] CallStateScope {
 public:
  CallStateScope(const CallState<T>& key, T value)
      : value_(std::move(value)), frame_{&key, &value_, CurrentThread().modes.call_state} {
    CurrentThread().modes.call_state = &frame_;
  }
  ~CallStateScope() { CurrentThread().modes.call_state = frame_.outer; }
  CallStateScope(const CallStateScope&) = delete;
  CallStateScope& operator=(const CallStateScope&) = delete;

 private:
  const T value_;
  const CallStateFrame frame_;
};

}  // namespace twingrad
