// SharedPtr, WeakPtr and MakeShared of the model: what std::shared_ptr is, with counts that are
// Atomics, so that each copy and each release is a step. Included by autograd/sync/shared.h only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "autograd/sync/atomic.h"

namespace twingrad::sync {

namespace model {

// The counts of one shared object. All owners together hold one weak reference.
class SharedControl {
 public:
  virtual ~SharedControl() = default;

  void AddOwner() { owners_.FetchAdd(1, kRelaxed); }
  // Unless there is no owner left.
  bool TryAddOwner() {
    int64_t owners = owners_.Load(kRelaxed);
    while (owners > 0) {
      if (owners_.CompareExchangeWeak(owners, owners + 1, kAcqRel, kRelaxed)) return true;
    }
    return false;
  }
  void RemoveOwner() {
    if (owners_.FetchSub(1, kAcqRel) > 1) return;
    DestroyObject();
    RemoveWeak();
  }
  void AddWeak() { weak_.FetchAdd(1, kRelaxed); }
  void RemoveWeak() {
    if (weak_.FetchSub(1, kAcqRel) == 1) delete this;
  }
  int64_t owners() const { return owners_.Load(kRelaxed); }

 protected:
  virtual void DestroyObject() = 0;

 private:
  Atomic<int64_t> owners_{1};
  Atomic<int64_t> weak_{1};
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
  SharedPtr(const SharedPtr& other) : SharedPtr(other, other.object_) {}
  SharedPtr(SharedPtr&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)),
        control_(std::exchange(other.control_, nullptr)) {}
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  SharedPtr(const SharedPtr<U>& other)  // NOLINT(google-explicit-constructor)
      : SharedPtr(other, other.object_) {}
  // Owns what `other` owns, points elsewhere.
  template <typename U>
  SharedPtr(const SharedPtr<U>& other, T* object) : object_(object), control_(other.control_) {
    if (control_ != nullptr) control_->AddOwner();
  }
  ~SharedPtr() {
    if (control_ != nullptr) control_->RemoveOwner();
  }
  SharedPtr& operator=(const SharedPtr& other) {
    SharedPtr(other).swap(*this);
    return *this;
  }
  SharedPtr& operator=(SharedPtr&& other) noexcept {
    SharedPtr(std::move(other)).swap(*this);
    return *this;
  }

  T* get() const { return object_; }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  long use_count() const { return control_ == nullptr ? 0 : static_cast<long>(control_->owners()); }
  void reset() { SharedPtr().swap(*this); }
  void swap(SharedPtr& other) noexcept {
    std::swap(object_, other.object_);
    std::swap(control_, other.control_);
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

  // Takes over a reference.
  SharedPtr(T* object, model::SharedControl* control) : object_(object), control_(control) {}

  T* object_ = nullptr;
  model::SharedControl* control_ = nullptr;
};

template <typename T>
class WeakPtr {
 public:
  constexpr WeakPtr() = default;
  WeakPtr(const WeakPtr& other) : WeakPtr(other.object_, other.control_) {}
  WeakPtr(WeakPtr&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)),
        control_(std::exchange(other.control_, nullptr)) {}
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  WeakPtr(const SharedPtr<U>& shared)  // NOLINT(google-explicit-constructor)
      : WeakPtr(shared.object_, shared.control_) {}
  ~WeakPtr() {
    if (control_ != nullptr) control_->RemoveWeak();
  }
  WeakPtr& operator=(WeakPtr other) noexcept {
    std::swap(object_, other.object_);
    std::swap(control_, other.control_);
    return *this;
  }

  SharedPtr<T> lock() const {
    if (control_ == nullptr || !control_->TryAddOwner()) return nullptr;
    return SharedPtr<T>(object_, control_);
  }
  bool expired() const { return control_ == nullptr || control_->owners() == 0; }
  void reset() { *this = WeakPtr(); }

 private:
  WeakPtr(T* object, model::SharedControl* control) : object_(object), control_(control) {
    if (control_ != nullptr) control_->AddWeak();
  }

  T* object_ = nullptr;
  model::SharedControl* control_ = nullptr;
};

template <typename T, typename... Arguments>
SharedPtr<T> MakeShared(Arguments&&... arguments) {
  auto* control = new model::SharedObject<T>(std::forward<Arguments>(arguments)...);
  return SharedPtr<T>(control->object(), control);
}

}  // namespace twingrad::sync
