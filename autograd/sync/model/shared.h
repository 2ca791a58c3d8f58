// SharedPtr, WeakPtr and MakeShared of the model: what std::shared_ptr is, with counts that are
// Atomics, so that each copy and each release is a step. Included by autograd/sync/shared.h only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "autograd/sync/atomic.h"
#include "autograd/sync/ref_count.h"

namespace twingrad::sync {

namespace model {

// What a weak reference keeps of a shared object.
class SharedWeak {
 public:
  virtual ~SharedWeak() = default;
  void AddRef() { weak_.FetchAdd(1, kRelaxed); }
  void Release() {
    if (weak_.FetchSub(1, kAcqRel) == 1) delete this;
  }

 private:
  Atomic<int64_t> weak_{1};
};

// The counts of one shared object. All owners together hold one weak reference.
class SharedControl : public SharedWeak {
 public:
  void AddRef() { owners_.FetchAdd(1, kRelaxed); }
  // Unless there is no owner left.
  bool TryAddRef() {
    int64_t owners = owners_.Load(kRelaxed);
    while (owners > 0) {
      if (owners_.CompareExchangeWeak(owners, owners + 1, kAcqRel, kRelaxed)) return true;
    }
    return false;
  }
  void Release() {
    if (owners_.FetchSub(1, kAcqRel) > 1) return;
    DestroyObject();
    SharedWeak::Release();
  }
  int64_t owners() const { return owners_.Load(kRelaxed); }

 protected:
  virtual void DestroyObject() = 0;

 private:
  Atomic<int64_t> owners_{1};
};

template <typename T>
class SharedObject final : public SharedControl {
 public:
  template <typename... Arguments>
  explicit SharedObject(Arguments&&... arguments)
      : object_(std::in_place, std::forward<Arguments>(arguments)...) {}
  T* object() { return &*object_; }

 private:
  void DestroyObject() override { object_.reset(); }

  std::optional<T> object_;
};

}  // namespace model

template <typename T>
class SharedPtr {
 public:
  using element_type = T;

  constexpr SharedPtr() = default;
  constexpr SharedPtr(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  SharedPtr(const SharedPtr& other) = default;
  SharedPtr(SharedPtr&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)), control_(std::move(other.control_)) {}
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  SharedPtr(const SharedPtr<U>& other)  // NOLINT(google-explicit-constructor)
      : SharedPtr(other, other.object_) {}
  // Owns what `other` owns, points elsewhere.
  template <typename U>
  SharedPtr(const SharedPtr<U>& other, T* object) : object_(object), control_(other.control_) {}
  SharedPtr& operator=(SharedPtr other) noexcept {
    swap(other);
    return *this;
  }

  T* get() const { return object_; }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  long use_count() const { return control_ ? static_cast<long>(control_->owners()) : 0; }
  void reset() { SharedPtr().swap(*this); }
  void swap(SharedPtr& other) noexcept {
    std::swap(object_, other.object_);
    control_.swap(other.control_);
  }

  friend bool operator==(const SharedPtr& a, const SharedPtr& b) { return a.object_ == b.object_; }
  friend bool operator==(const SharedPtr& a, std::nullptr_t) { return a.object_ == nullptr; }

 private:
  template <typename U>
  friend class SharedPtr;
  template <typename U>
  friend class WeakPtr;
  template <typename U, typename... Arguments>
  friend SharedPtr<U> MakeShared(Arguments&&... arguments);

  using ControlPtr = IntrusivePtr<model::SharedControl>;
  SharedPtr(T* object, ControlPtr control) : object_(object), control_(std::move(control)) {}

  T* object_ = nullptr;
  ControlPtr control_;
};

template <typename T>
class WeakPtr {
 public:
  constexpr WeakPtr() = default;
  WeakPtr(const WeakPtr& other) = default;
  WeakPtr(WeakPtr&& other) noexcept = default;
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  WeakPtr(const SharedPtr<U>& shared)  // NOLINT(google-explicit-constructor)
      : object_(shared.object_), weak_(shared.control_) {}
  WeakPtr& operator=(WeakPtr other) noexcept {
    std::swap(object_, other.object_);
    weak_.swap(other.weak_);
    return *this;
  }

  SharedPtr<T> lock() const {
    if (!weak_ || !control()->TryAddRef()) return nullptr;
    return SharedPtr<T>(object_, SharedPtr<T>::ControlPtr::Adopt(control()));
  }
  bool expired() const { return !weak_ || control()->owners() == 0; }
  void reset() { *this = WeakPtr(); }

 private:
  model::SharedControl* control() const { return static_cast<model::SharedControl*>(weak_.get()); }

  T* object_ = nullptr;  // means nothing without `weak_`
  IntrusivePtr<model::SharedWeak> weak_;
};

template <typename T, typename... Arguments>
SharedPtr<T> MakeShared(Arguments&&... arguments) {
  auto* control = new model::SharedObject<T>(std::forward<Arguments>(arguments)...);
  return SharedPtr<T>(control->object(), SharedPtr<T>::ControlPtr::Adopt(control));
}

}  // namespace twingrad::sync
