// Intrusive reference counts: RefCount, the base RefCounted<T>, and IntrusivePtr<T>.
//
//   class Node : public sync::RefCounted<Node> { ... };
//   auto node = sync::MakeIntrusive<Node>(...);   // count 1
//
// An object starts with count 1, owned by the IntrusivePtr that adopts it. A copy costs one relaxed
// atomic add. Giving up the last reference costs one load: an owner that sees 1 is alone, since
// only an owner can hand out references, so no read-modify-write is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "autograd/sync/atomic.h"

namespace twingrad::sync {

class RefCount {
 public:
  constexpr RefCount() = default;

  void Increment() const { count_.FetchAdd(1, kRelaxed); }
  // True for the last owner, which then destroys the object; the count is not used after that.
  [[nodiscard]] bool Decrement() const {
    if (count_.Load(kAcquire) == 1) return true;
    return count_.FetchSub(1, kAcqRel) == 1;
  }
  // True when the caller, an owner, is the only one.
  bool IsOne() const { return count_.Load(kAcquire) == 1; }
  // For tests and reports: stale as soon as it is read, unless the caller is the only thread.
  uint32_t Value() const { return count_.Load(kAcquire); }

 private:
  mutable Atomic<uint32_t> count_{1};
};

template <typename T>
struct DefaultDispose {
  void operator()(T* object) const { delete object; }
};

// Base of counted classes. `Dispose` gets the object when its last reference goes, e.g. to put it
// back into a pool; by default it is deleted.
template <typename T, typename Dispose = DefaultDispose<T>>
class RefCounted {
 public:
  RefCounted() = default;
  // A copy of an object is a new object: it does not inherit the references.
  RefCounted(const RefCounted&) {}
  RefCounted& operator=(const RefCounted&) { return *this; }

  void AddRef() const { references_.Increment(); }
  void Release() const {
    if (references_.Decrement()) Dispose()(const_cast<T*>(static_cast<const T*>(this)));
  }
  bool IsUniquelyOwned() const { return references_.IsOne(); }
  uint32_t ReferenceCount() const { return references_.Value(); }

 protected:
  ~RefCounted() = default;

 private:
  RefCount references_;
};

// Owns one reference to a T that has AddRef() and Release().
template <typename T>
class IntrusivePtr {
 public:
  using element_type = T;

  constexpr IntrusivePtr() = default;
  constexpr IntrusivePtr(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  // Takes a further reference.
  explicit IntrusivePtr(T* object) : object_(object) {
    if (object_ != nullptr) object_->AddRef();
  }
  // Takes over a reference that the caller owns.
  static IntrusivePtr Adopt(T* object) {
    IntrusivePtr pointer;
    pointer.object_ = object;
    return pointer;
  }

  IntrusivePtr(const IntrusivePtr& other) : IntrusivePtr(other.object_) {}
  IntrusivePtr(IntrusivePtr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  IntrusivePtr(const IntrusivePtr<U>& other)  // NOLINT(google-explicit-constructor)
      : IntrusivePtr(static_cast<T*>(other.get())) {}
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  IntrusivePtr(IntrusivePtr<U>&& other) noexcept  // NOLINT(google-explicit-constructor)
      : object_(other.Detach()) {}
  ~IntrusivePtr() {
    if (object_ != nullptr) object_->Release();
  }
  IntrusivePtr& operator=(const IntrusivePtr& other) {
    IntrusivePtr(other).swap(*this);
    return *this;
  }
  IntrusivePtr& operator=(IntrusivePtr&& other) noexcept {
    IntrusivePtr(std::move(other)).swap(*this);
    return *this;
  }

  T* get() const { return object_; }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

  void reset() { IntrusivePtr().swap(*this); }
  void swap(IntrusivePtr& other) noexcept { std::swap(object_, other.object_); }
  // Gives the reference to the caller, who adopts or releases it.
  [[nodiscard]] T* Detach() { return std::exchange(object_, nullptr); }

  friend bool operator==(const IntrusivePtr& a, const IntrusivePtr& b) {
    return a.object_ == b.object_;
  }
  friend bool operator==(const IntrusivePtr& a, std::nullptr_t) { return a.object_ == nullptr; }
  template <typename H>
  friend H AbslHashValue(H state, const IntrusivePtr& pointer) {
    return H::combine(std::move(state), pointer.object_);
  }

 private:
  T* object_ = nullptr;
};

template <typename T, typename... Arguments>
IntrusivePtr<T> MakeIntrusive(Arguments&&... arguments) {
  return IntrusivePtr<T>::Adopt(new T(std::forward<Arguments>(arguments)...));
}

}  // namespace twingrad::sync

template <typename T>
struct std::hash<twingrad::sync::IntrusivePtr<T>> {
  std::size_t operator()(const twingrad::sync::IntrusivePtr<T>& pointer) const {
    return std::hash<T*>()(pointer.get());
  }
};
