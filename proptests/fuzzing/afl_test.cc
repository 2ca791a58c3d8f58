#include "proptests/fuzzing/afl.h"

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

// Stand for the run time of AFL++: each guard gets the next place of a map.
namespace {
uint32_t next_place = 7;
std::vector<uint32_t> told;
}  // namespace
extern "C" {
uint8_t* __afl_area_ptr = nullptr;
void __sanitizer_cov_trace_pc_guard_init(uint32_t* begin, uint32_t* end) {
  for (uint32_t* guard = begin; guard != end; ++guard) *guard = next_place++;
}
void __sanitizer_cov_trace_pc_guard(uint32_t* guard) { told.push_back(*guard); }
}

namespace twingrad::fuzzing {
namespace {

TEST(AflTest, CountersThatAreNotZeroAreToldByTheirPlaceAndCleared) {
  told.clear();
  std::vector<uint8_t> counters(kMostAflCounters + 1, 0);
  counters[0] = 1;
  counters[5] = 200;
  counters[kMostAflCounters - 1] = 1;
  TellAfl(absl::MakeSpan(counters));
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told[1] - told[0], 5u);
  EXPECT_EQ(told[2] - told[0], kMostAflCounters - 1);
  EXPECT_THAT(counters, testing::Each(0));
  TellAfl(absl::MakeSpan(counters));
  EXPECT_EQ(told.size(), 3u);
}

}  // namespace
}  // namespace twingrad::fuzzing
