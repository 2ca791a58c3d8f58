// Streams of a Program are the thread's while it runs, and no longer.

#include "autograd/runner/streams.h"

#include <gtest/gtest.h>

#include <string>

#include "autograd/device/stream.h"
#include "autograd/engine/engine.h"
#include "autograd/program/parse.h"
#include "autograd/runner/run.h"

namespace twingrad::runner {
namespace {

program::Statement StatementOf(const std::string& line) {
  const auto parsed = program::Parse("twingrad 1\nrecord_event id=e device=dev:1\n" + line + "\n");
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed->statements.back();
}

TEST(Streams, AreCurrentOnTheirDeviceUntilTheRunEnds) {
  const Device device = Device::Sim(1);
  const Stream before = CurrentStream(device);
  {
    ProgramStreams streams;
    streams.Run(StatementOf("stream id=a device=dev:1"));
    const Stream a = CurrentStream(device);
    EXPECT_NE(a, before);
    EXPECT_EQ(CurrentStream(Device::Sim(0)), Stream{Device::Sim(0)});
    streams.Run(StatementOf("stream id=b device=dev:1"));
    EXPECT_NE(CurrentStream(device), a);
    streams.Run(StatementOf("stream id=a device=dev:1"));
    EXPECT_EQ(CurrentStream(device), a);
  }
  EXPECT_EQ(CurrentStream(device), before);
}

TEST(Streams, OfFurtherRunsAreTheSameOnes) {
  const auto first = [] {
    ProgramStreams streams;
    streams.Run(StatementOf("stream id=any device=dev:2"));
    return CurrentStream(Device::Sim(2));
  };
  EXPECT_EQ(first(), first());
}

// What a section's statement makes current is so until the section leaves; it finds outer events.
TEST(Streams, OfASectionAreItsOwn) {
  const Device device = Device::Sim(1);
  ProgramStreams outer;
  outer.Run(StatementOf("stream id=a device=dev:1"));
  outer.Run(StatementOf("record_event id=e device=dev:1"));
  const Stream a = CurrentStream(device);
  ProgramStreams section(&outer);
  section.Run(StatementOf("wait_event id=e device=dev:1"));
  section.Run(StatementOf("stream id=b device=dev:1"));
  section.Run(StatementOf("stream id=a device=dev:1"));
  EXPECT_NE(CurrentStream(device), a) << "a name of the section's own";
  section.Leave();
  EXPECT_EQ(CurrentStream(device), a);
}

TEST(Streams, EventsThatWereNotRecordedAreNotWaitedFor) {
  ProgramStreams streams;
  streams.Run(StatementOf("wait_event id=e device=dev:1"));
  streams.Run(StatementOf("record_event id=e device=dev:1"));
  streams.Run(StatementOf("wait_event id=e device=dev:1"));
}

}  // namespace
}  // namespace twingrad::runner
