#include "autograd/program/stream_order.h"

#include <string>

#include "autograd/program/parse.h"
#include "gtest/gtest.h"

namespace twingrad::program {
namespace {

bool Follow(const std::string& statements) {
  const auto program = Parse("twingrad 1\n" + statements);
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() && StreamsFollowEachOther(*program);
}

TEST(StreamOrderOfProgram, EachStreamWaitsForTheOneBefore) {
  EXPECT_TRUE(Follow("%x = leaf type=f64[] data=1\n"));
  EXPECT_TRUE(
      Follow("record_event id=e device=dev:0\nstream id=s device=dev:0\n"
             "wait_event id=e device=dev:0\n"));
  EXPECT_TRUE(Follow("stream id=s device=dev:0 waits=1\nstream id=t device=dev:1 waits=1\n"));
  EXPECT_FALSE(Follow("stream id=s device=dev:0\n"));
  EXPECT_FALSE(Follow("record_event id=e device=dev:0\nstream id=s device=dev:0\n"));
  EXPECT_FALSE(
      Follow("record_event id=e device=dev:1\nstream id=s device=dev:0\n"
             "wait_event id=e device=dev:1\n"))
      << "of another device";
  EXPECT_FALSE(
      Follow("record_event id=d device=dev:0\nrecord_event id=e device=dev:0\n"
             "stream id=s device=dev:0\nwait_event id=d device=dev:0\n"))
      << "another event";
}

}  // namespace
}  // namespace twingrad::program
