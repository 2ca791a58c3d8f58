// Fuzz target that runs a Program under one schedule on the engine under the interleaving checker,
// judged by the oracles of `explore`.
//
// One part of the input is the Program, the other the schedule
// (proptests/fuzzing/schedule_input.h). What counts as new are edges of the engine, as the compiler
// counts them, and pairs of lock sites and what locks order, in libFuzzer's extra counters or the
// map of AFL++. The first failure is made small and printed with the command that replays it, and
// ends the process.

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "proptests/fuzzing/afl.h"
#include "proptests/fuzzing/libfuzzer.h"
#include "proptests/fuzzing/schedule_fuzzer.h"
#include "proptests/fuzzing/schedule_input.h"

namespace fuzzing = twingrad::fuzzing;

namespace {

// libFuzzer finds them by the name of their section.
__attribute__((used, section("__libfuzzer_extra_counters")))
uint8_t extra_counters[fuzzing::kMostAflCounters];

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto* const fuzzer = new fuzzing::ScheduleFuzzer(
      {.edges = fuzzing::EdgeCounters(), .extra = absl::MakeSpan(extra_counters)});
  const bool is_kept = fuzzer->Run({data, size});
  fuzzing::TellAfl(absl::MakeSpan(extra_counters));
  return is_kept ? 0 : -1;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  static const fuzzing::PlainMutation plain = fuzzing::LibFuzzerMutation();
  return fuzzing::Give(fuzzing::MutateInput({data, size}, max_size, seed, plain), data);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b,
                                            size_t b_size, uint8_t* out, size_t max_size,
                                            unsigned int seed) {
  return fuzzing::Give(fuzzing::CrossInputs({a, a_size}, {b, b_size}, max_size, seed), out);
}
