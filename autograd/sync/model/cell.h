// Cell<T> of the model: the race detector sees each access. Included by autograd/sync/cell.h only.
#pragma once

#include <source_location>
#include <utility>

#include "autograd/sync/model/scheduler.h"

namespace twingrad::sync {

template <typename T>
class Cell {
 public:
  using Site = std::source_location;

  constexpr Cell() = default;
  constexpr explicit Cell(T value) : value_(std::move(value)) {}
  Cell(const Cell&) = delete;
  Cell& operator=(const Cell&) = delete;

  const T& Read(Site where = Site::current()) const {
    Touch(model::OperationKind::kCellRead, where);
    return value_;
  }
  void Write(T value, Site where = Site::current()) {
    Touch(model::OperationKind::kCellWrite, where);
    value_ = std::move(value);
  }
  T& Mutable(Site where = Site::current()) {
    Touch(model::OperationKind::kCellWrite, where);
    return value_;
  }
  const T& Peek() const { return value_; }

 private:
  void Touch(model::OperationKind kind, Site where) const {
    model::Scheduler* scheduler = model::Current();
    if (scheduler == nullptr) return;
    scheduler->Access({kind, this, "", where}, identity_);
  }

  T value_{};
  model::Identity identity_;
};

}  // namespace twingrad::sync
