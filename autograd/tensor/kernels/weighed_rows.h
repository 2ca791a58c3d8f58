// Sums of the entries of windows times their weights, a row of results at a time.
//
//   WeighedRows<float> rows(windows, /*back=*/false);
//   rows.Sum(plane, /*readable=*/size, sums);
//
// A result is a sum over the entries of the outer dimensions, and of the last one within each. The
// entries of a whole row that come from one row of the source are laid side by side first, once for
// all rows of results that take from there; then the sums are those of whole rows.
//
// Internal to the kernels. One thread at a time.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "autograd/tensor/kernels/window_line.h"

namespace twingrad::kernels {

template <typename T>
class WeighedRows {
 public:
  // Of windows whose entries all lie inside: their sums; `back`, those of a place, over the windows
  // that have it, in the order of entries and then of windows.
  WeighedRows(const Windows& windows, bool back);

  // Of one plane. So many elements may be read from its first one on, of this plane and others.
  void Sum(const T* in, int64_t readable, T* out);

 private:
  // Part of a row that is laid side by side: elements `step` apart from `first` on or, where there
  // is no step, those listed from `first` on.
  struct Piece {
    int64_t to, count, first, step;
  };
  struct Load {
    int64_t source;
    size_t to;
  };
  // Loads and terms up to which the rows of results go.
  struct Row {
    size_t loads, terms;
  };
  struct Term {
    size_t row, weights;
  };
  struct Slots;
  class Builder;

  int64_t width_ = 0;  // of a row of results
  int64_t depth_ = 0;  // of a row of the source
  std::vector<Piece> pieces_;
  std::vector<int64_t> listed_;
  std::vector<Load> loads_;
  std::vector<Row> rows_;
  std::vector<T> beside_, weights_;
  std::vector<const T*> row_of_, weights_of_;  // of each term
};

extern template class WeighedRows<float>;
extern template class WeighedRows<double>;

}  // namespace twingrad::kernels
