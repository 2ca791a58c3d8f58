#include "tools/golden/complaint.h"

#include <bit>
#include <cstdint>

#include "autograd/program/parse.h"
#include "gmock/gmock.h"

namespace twingrad::golden {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(ComplaintTest, NamesTheEntryTheRunnerAndWhatIsMissed) {
  Entry entry;
  entry.path = "golden/programs/a/a-0001.twin";
  entry.program = *twingrad::program::Parse(
      "twingrad 1\n%x = leaf type=f64[] data=3\nexpect %x kind=value data=3\n");
  twingrad::program::Observation observation;
  observation.values.resize(1);
  observation.values[0].defined = true;
  observation.values[0].data.bits = {std::bit_cast<uint64_t>(3.0)};
  EXPECT_EQ(Complaint(entry, observation, "me"), "");

  observation.values[0].data.bits = {std::bit_cast<uint64_t>(4.0)};
  const std::string text = Complaint(entry, observation, "me");
  EXPECT_THAT(text,
              StartsWith("golden/programs/a/a-0001.twin, run by me:\n  statement 1: expect %x"));
  EXPECT_THAT(
      text,
      HasSubstr("replay: tools/bazel run //tools/oracle -- run golden/programs/a/a-0001.twin\n"));
}

}  // namespace
}  // namespace twingrad::golden
