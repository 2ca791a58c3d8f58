#include "proptests/fuzzing/libfuzzer.h"

#include <algorithm>

// The linker's names for the bounds of a section; null in a program without it.
extern "C" __attribute__((weak)) uint8_t __start___sancov_cntrs;
extern "C" __attribute__((weak)) uint8_t __stop___sancov_cntrs;
extern "C" __attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t* data, size_t size,
                                                         size_t max_size);

namespace twingrad::fuzzing {

absl::Span<uint8_t> EdgeCounters() {
  uint8_t* const begin = &__start___sancov_cntrs;
  return begin == nullptr ? absl::Span<uint8_t>() : absl::MakeSpan(begin, &__stop___sancov_cntrs);
}

PlainMutation LibFuzzerMutation() {
  return LLVMFuzzerMutate == nullptr ? PlainMutation() : LLVMFuzzerMutate;
}

size_t Give(const Bytes& input, uint8_t* out) {
  std::copy(input.begin(), input.end(), out);
  return input.size();
}

}  // namespace twingrad::fuzzing
