// The sums that the fake cuDNN makes (dnn.h), on plain pointers.
//
//   SumForward(task, wide, weights, narrow);   // what a kernel does when it runs
//
// Pure functions, any thread.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "cuda/fake/dnn_types.h"

namespace twingrad::cuda::fake {

// One convolution, as its three descriptors say.
struct DnnTask {
  cudaStream_t stream = nullptr;
  DnnType type = kDnnFloat;
  bool is_rounded = false;  // to TF32
  int64_t samples = 1, groups = 1, depth = 1, results = 1;
  int64_t plane = 1, entries = 1, windows = 1;
  std::vector<int64_t> places;  // [entries, windows]: in the plane; -1: nowhere
};

// As the default of cuDNN may round what it multiplies.
template <class T>
T Rounded(const DnnTask& task, T x) {
  if constexpr (std::is_same_v<T, float>) {
    constexpr uint32_t kKept = 0xffffe000;  // sign, exponent and ten digits
    if (task.is_rounded) return std::bit_cast<float>(std::bit_cast<uint32_t>(x) & kKept);
  }
  return x;
}

// Calls term(out, a, b) for all terms of all sums, those of one sum in its order: of channels or
// samples, then of entries, then of what is left. `place` is that in the wide tensor, which is -1
// for a zero.
template <class Term>
void EachTerm(const DnnTask& t, const Term& term) {
  for (int64_t n = 0; n < t.samples; ++n) {
    for (int64_t g = 0; g < t.groups; ++g) {
      for (int64_t c = 0; c < t.depth; ++c) {
        const int64_t plane = ((n * t.groups + g) * t.depth + c) * t.plane;
        for (int64_t e = 0; e < t.entries; ++e) {
          for (int64_t o = 0; o < t.results; ++o) {
            const int64_t row = g * t.results + o;
            const int64_t weight = (row * t.depth + c) * t.entries + e;
            const int64_t first = (n * t.groups * t.results + row) * t.windows;
            for (int64_t w = 0; w < t.windows; ++w) {
              const int64_t at = t.places[static_cast<size_t>(e * t.windows + w)];
              term(at < 0 ? -1 : plane + at, weight, first + w);
            }
          }
        }
      }
    }
  }
}

template <class T>
void SumForward(const DnnTask& task, const T* wide, const T* weights, T* narrow) {
  std::fill_n(narrow, task.samples * task.groups * task.results * task.windows, T(0));
  EachTerm(task, [&](int64_t place, int64_t weight, int64_t window) {
    const T x = place < 0 ? T(0) : wide[place];
    narrow[window] += Rounded(task, x) * Rounded(task, weights[weight]);
  });
}

template <class T>
void SumByWeights(const DnnTask& task, const T* wide, const T* narrow, T* weights) {
  std::fill_n(weights, task.groups * task.results * task.depth * task.entries, T(0));
  EachTerm(task, [&](int64_t place, int64_t weight, int64_t window) {
    const T x = place < 0 ? T(0) : wide[place];
    weights[weight] += Rounded(task, x) * Rounded(task, narrow[window]);
  });
}

// Each weight meets each place of its channel once for each window that has it there, and a zero if
// none has.
template <class T>
void SumByOperand(const DnnTask& task, const T* weights, const T* narrow, T* wide) {
  std::fill_n(wide, task.samples * task.groups * task.depth * task.plane, T(0));
  std::vector<bool> is_met(static_cast<size_t>(task.entries * task.plane));
  for (size_t i = 0; i < task.places.size(); ++i) {
    const int64_t entry = static_cast<int64_t>(i) / task.windows, place = task.places[i];
    if (place >= 0) is_met[static_cast<size_t>(entry * task.plane + place)] = true;
  }
  EachTerm(task, [&](int64_t place, int64_t weight, int64_t window) {
    if (place < 0) return;
    wide[place] += Rounded(task, narrow[window]) * Rounded(task, weights[weight]);
  });
  for (int64_t i = 0; i < task.samples * task.groups * task.depth; ++i) {
    const int64_t group = i / task.depth % task.groups, c = i % task.depth;
    for (int64_t o = 0; o < task.results; ++o) {
      const T* const filter =
          weights + ((group * task.results + o) * task.depth + c) * task.entries;
      for (size_t at = 0; at < is_met.size(); ++at) {
        if (is_met[at]) continue;
        const auto entry = static_cast<int64_t>(at) / task.plane;
        wide[i * task.plane + static_cast<int64_t>(at) % task.plane] += T(0) * filter[entry];
      }
    }
  }
}

}  // namespace twingrad::cuda::fake
