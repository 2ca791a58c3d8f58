#include "proptests/fuzzing/afl.h"

#include <algorithm>

// The run time's own: its map, and what code that clang has instrumented calls at each edge, after
// it has been given a guard of it (https://clang.llvm.org/docs/SanitizerCoverage.html).
extern "C" __attribute__((weak)) uint8_t* __afl_area_ptr;
extern "C" __attribute__((weak)) void __sanitizer_cov_trace_pc_guard_init(uint32_t* begin,
                                                                          uint32_t* end);
extern "C" __attribute__((weak)) void __sanitizer_cov_trace_pc_guard(uint32_t* guard);

namespace twingrad::fuzzing {
namespace {

uint32_t guards[kMostAflCounters];

// Before main, where the run time says how large its map is.
__attribute__((constructor)) void TakePlaces() {
  if (RunsUnderAfl()) __sanitizer_cov_trace_pc_guard_init(guards, guards + kMostAflCounters);
}

}  // namespace

bool RunsUnderAfl() { return &__afl_area_ptr != nullptr; }

void TellAfl(absl::Span<uint8_t> counters) {
  if (!RunsUnderAfl()) return;
  for (size_t i = 0; i < std::min(counters.size(), kMostAflCounters); ++i) {
    if (counters[i] != 0) __sanitizer_cov_trace_pc_guard(&guards[i]);
    counters[i] = 0;
  }
}

}  // namespace twingrad::fuzzing
