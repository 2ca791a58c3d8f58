#include "autograd/tensor/kernels/weighed_rows.h"

#include <algorithm>
#include <bit>
#include <map>

#include "autograd/base/span.h"
#include "autograd/tensor/kernels/numbers.h"
#include "autograd/tensor/kernels/processor/loops.h"
#include "autograd/tensor/kernels/window_places.h"

namespace twingrad::kernels {
namespace {

// What a result takes: the entry of a window by which it does, and where from.
struct Tap {
  int64_t entry, source;
  double weight;
};

// By result, in the order of entries and then of windows.
struct Taps {
  Taps(const Windows& windows, bool back) : entries(EntriesOf(windows)) {
    const std::vector<int64_t> places = PlacesOf(windows);
    const std::vector<double> weights = ProductsOfWeights(windows);
    const int64_t count = NumWindows(windows);
    results = back ? PlaneSizeOf(windows) : count;
    sources = back ? count : PlaneSizeOf(windows);
    starts.assign(static_cast<size_t>(results) + 1, 0);
    const auto result = [&](size_t i) {
      return static_cast<size_t>(back ? places[i] : static_cast<int64_t>(i) % count);
    };
    for (size_t i = 0; i < places.size(); ++i) ++starts[result(i) + 1];
    for (size_t r = 1; r < starts.size(); ++r) starts[r] += starts[r - 1];
    taps.resize(places.size());
    std::vector<size_t> next = starts;
    for (size_t i = 0; i < places.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      taps[next[result(i)]++] = {at / count, back ? at % count : places[i], weights[i]};
    }
  }
  Span<const Tap> Of(int64_t result) const {
    const size_t first = starts[static_cast<size_t>(result)];
    return {taps.data() + first, starts[static_cast<size_t>(result) + 1] - first};
  }
  int64_t entries, results = 0, sources = 0;
  std::vector<size_t> starts;
  std::vector<Tap> taps;
};

// Elements at one step of which a loop copies as many in one go.
constexpr int64_t kVector = 16;

}  // namespace

// The taps of a whole row as rows, a slot each: the k-th one of an entry of each result, where it
// has so many. A missing one is 0 times 0, which changes no sum.
template <typename T>
struct WeighedRows<T>::Slots {
  explicit Slots(const Taps& inner) : width(inner.results), of(inner.entries) {
    std::vector<int64_t> most(of.size(), 0);
    const auto each = [&](auto function) {
      for (int64_t i = 0; i < width; ++i) {
        int64_t entry = -1, k = 0;
        for (const Tap& tap : inner.Of(i)) {
          k = tap.entry == entry ? k + 1 : 0;
          entry = tap.entry;
          function(i, static_cast<size_t>(entry), k, tap);
        }
      }
    };
    each([&](int64_t, size_t entry, int64_t k, const Tap&) {
      most[entry] = std::max(most[entry], k + 1);
    });
    for (size_t entry = 0; entry < of.size(); ++entry) {
      of[entry] = {count, most[entry]};
      count += most[entry];
    }
    sources.assign(static_cast<size_t>(count * width), -1);
    weights.assign(sources.size(), 0);
    each([&](int64_t i, size_t entry, int64_t k, const Tap& tap) {
      const auto at = static_cast<size_t>((of[entry].first + k) * width + i);
      sources[at] = tap.source;
      weights[at] = tap.weight;
    });
  }
  struct OfEntry {
    int64_t first, count;
  };
  int64_t width, count = 0;
  std::vector<OfEntry> of;
  std::vector<int64_t> sources;  // [slots, width]
  std::vector<double> weights;
};

// Plans the rows: which of the source are laid side by side where, and the terms of each sum.
template <typename T>
class WeighedRows<T>::Builder {
 public:
  Builder(WeighedRows* made, const Slots& slots)
      : made_(*made), slots_(slots), size_(slots.sources.size()) {}

  // The slots as pieces, without what is missing.
  void Cut() {
    const std::vector<int64_t>& from = slots_.sources;
    for (size_t i = 0; i < size_;) {
      const int64_t step = StepAt(i), row_end = At(i) + slots_.width - At(i) % slots_.width;
      int64_t count = 1;
      while (step > 0 && At(i) + count < row_end &&
             from[i + static_cast<size_t>(count)] == from[i] + count * step) {
        ++count;
      }
      count -= count % kVector;  // what is left is listed
      if (count > 0) {
        made_.pieces_.push_back({At(i), count, from[i], step});
        i += static_cast<size_t>(count);
      } else {
        if (from[i] >= 0) List(i);
        ++i;
      }
    }
  }

  void AddRow(Span<const Tap> outer) {
    ++row_;
    for (auto first = outer.begin(); first != outer.end();) {
      const auto end = std::find_if(first, outer.end(),
                                    [&](const Tap& tap) { return tap.entry != first->entry; });
      for (const typename Slots::OfEntry& inner : slots_.of) {
        for (auto tap = first; tap != end; ++tap) {
          for (int64_t slot = inner.first; slot < inner.first + inner.count; ++slot) {
            const auto at = static_cast<size_t>(slot * slots_.width);
            terms_.push_back({PlaceOf(tap->source) + at, WeightsOf(tap->weight) + at});
          }
        }
      }
      first = end;
    }
    made_.rows_.push_back({made_.loads_.size(), terms_.size()});
  }

  void Finish() {
    made_.beside_.assign(held_.size() * size_, T(0));
    for (const Term& term : terms_) {
      made_.row_of_.push_back(made_.beside_.data() + term.row);
      made_.weights_of_.push_back(made_.weights_.data() + term.weights);
    }
  }

 private:
  // A row of the source that lies side by side, and the last row of results that takes from it.
  struct Held {
    int64_t source, row;
  };

  static int64_t At(size_t i) { return static_cast<int64_t>(i); }
  // From there to the next one in its row; 0 where one of them is missing.
  int64_t StepAt(size_t i) const {
    const bool is_last = At(i) % slots_.width == slots_.width - 1;
    if (is_last || slots_.sources[i] < 0 || slots_.sources[i + 1] < 0) return 0;
    return slots_.sources[i + 1] - slots_.sources[i];
  }
  void List(size_t i) {
    std::vector<Piece>& pieces = made_.pieces_;
    const bool goes_on = !pieces.empty() && pieces.back().step == 0 &&
                         pieces.back().to + pieces.back().count == At(i);
    if (!goes_on) pieces.push_back({At(i), 0, At(made_.listed_.size()), 0});
    ++pieces.back().count;
    made_.listed_.push_back(slots_.sources[i]);
  }

  // Where the row of the source lies: in place of the one that was needed least lately, and not by
  // this row.
  size_t PlaceOf(int64_t source) {
    const auto is_source = [&](const Held& held) { return held.source == source; };
    auto found = std::find_if(held_.begin(), held_.end(), is_source);
    if (found == held_.end()) {
      found = std::min_element(held_.begin(), held_.end(),
                               [](const Held& a, const Held& b) { return a.row < b.row; });
      if (found == held_.end() || found->row == row_) found = held_.insert(held_.end(), Held());
      found->source = source;
      made_.loads_.push_back({source, static_cast<size_t>(found - held_.begin()) * size_});
    }
    found->row = row_;
    return static_cast<size_t>(found - held_.begin()) * size_;
  }

  // Of all slots, times that of an outer entry.
  size_t WeightsOf(double outer) {
    const auto [found, is_new] =
        weights_.try_emplace(std::bit_cast<uint64_t>(outer), made_.weights_.size());
    if (is_new) {
      for (const double inner : slots_.weights) {
        made_.weights_.push_back(CastNumber<T>(outer * inner));
      }
    }
    return found->second;
  }

  WeighedRows& made_;
  const Slots& slots_;
  const size_t size_;  // of all slots
  int64_t row_ = 0;
  std::vector<Held> held_;
  std::map<uint64_t, size_t> weights_;
  std::vector<Term> terms_;
};

template <typename T>
WeighedRows<T>::WeighedRows(const Windows& windows, bool back) {
  const Taps outer(Windows(windows.begin(), windows.end() - 1), back),
      inner({windows.back()}, back);
  const Slots slots(inner);
  width_ = inner.results;
  depth_ = inner.sources;
  Builder builder(this, slots);
  builder.Cut();
  for (int64_t row = 0; row < outer.results; ++row) builder.AddRow(outer.Of(row));
  builder.Finish();
}

template <typename T>
void WeighedRows<T>::Sum(const T* in, int64_t readable, T* out) {
  const processor::LoopsOf<T>& loops = processor::LoopsInUse().Of<T>();
  size_t load = 0, term = 0;
  for (const Row& row : rows_) {
    for (; load < row.loads; ++load) {
      const int64_t at = loads_[load].source * depth_;
      T* const to = beside_.data() + loads_[load].to;
      for (const Piece& piece : pieces_) {
        if (piece.step > 0) {
          loops.window_sums({in + at, readable - at, &piece.first, 1, piece.step, piece.count},
                            to + piece.to);
        } else {
          const int64_t* const from = listed_.data() + piece.first;
          for (int64_t i = 0; i < piece.count; ++i) to[piece.to + i] = in[at + from[i]];
        }
      }
    }
    loops.weighed_sums(row_of_.data() + term, weights_of_.data() + term, /*weight_step=*/1,
                       static_cast<int64_t>(row.terms - term), out, width_);
    term = row.terms;
    out += width_;
  }
}

template class WeighedRows<float>;
template class WeighedRows<double>;

}  // namespace twingrad::kernels
