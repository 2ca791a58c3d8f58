// Which statements of a Program race.

#include "autograd/reference/stream_races.h"

#include <gmock/gmock.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "autograd/reference/test_program.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// With %x on stream a of dev:0, by statements 0 and 1.
StreamRaces RacesOf(const std::string& statements, const Failures& failures = {}) {
  return FindStreamRaces(ParseOrThrow(absl::StrCat("stream id=a device=dev:0\n"
                                                   "%x = leaf type=f64[2] data=1,2 grad=1 "
                                                   "device=dev:0\n",
                                                   statements)),
                         failures);
}
constexpr char kToB[] = "stream id=b device=dev:0\n";

MATCHER(AreInOrder, "") { return arg.known && arg.possible.empty() && arg.certain.empty(); }
MATCHER_P2(RaceOnce, statement, other, "") {
  return arg.known && arg.possible == std::set{UnorderedPair{statement, other}} &&
         arg.certain == std::set<int32_t>{statement};
}
MATCHER_P2(MayRaceOnce, statement, other, "") {
  return arg.known && arg.possible == std::set{UnorderedPair{statement, other}} &&
         arg.certain.empty();
}

TEST(StreamRaces, OneStreamIsInOrder) {
  EXPECT_THAT(RacesOf("%y = mul %x %x\nrelu_ %y\nbackward %y\n"), AreInOrder());
}

TEST(StreamRaces, WhatAnotherStreamWroteMustBeWaitedFor) {
  EXPECT_THAT(RacesOf(absl::StrCat(kToB, "%y = neg %x\n")), RaceOnce(3, 1));
  EXPECT_THAT(RacesOf("stream id=b device=dev:0 waits=1\n%y = neg %x\n"), AreInOrder());
  const std::string recorded = absl::StrCat("record_event id=e device=dev:0\n", kToB);
  EXPECT_THAT(RacesOf(absl::StrCat(recorded, "%y = neg %x\n")), RaceOnce(4, 1));
  EXPECT_THAT(RacesOf(absl::StrCat(recorded, "wait_event id=e device=dev:0\n%y = neg %x\n")),
              AreInOrder());
}

TEST(StreamRaces, AnEventSaysNothingOfWhatComesAfterIt) {
  EXPECT_THAT(RacesOf(absl::StrCat("record_event id=e device=dev:0\n%z = neg %x\n", kToB,
                                   "wait_event id=e device=dev:0\n%y = neg %x\n%v = neg %z\n")),
              RaceOnce(7, 3));
}

TEST(StreamRaces, ReadsNeedNoOrderButWritesDo) {
  const std::string shared =
      absl::StrCat("%z = neg %x\nrecord_event id=e device=dev:0\n%v = neg %z\n", kToB,
                   "wait_event id=e device=dev:0\n");
  EXPECT_THAT(RacesOf(absl::StrCat(shared, "%w = neg %z\n")), AreInOrder());
  EXPECT_THAT(RacesOf(absl::StrCat(shared, "exp_ %z\n")), RaceOnce(7, 4));
}

TEST(StreamRaces, EventsReachAlong) {
  EXPECT_THAT(RacesOf("stream id=b device=dev:0 waits=1\nstream id=c device=dev:0 waits=1\n"
                      "%y = neg %x\n"),
              AreInOrder());
}

// Which part of a memory a view is does not matter to what is possible.
TEST(StreamRaces, OfViewsNothingIsCertain) {
  EXPECT_THAT(RacesOf(absl::StrCat("%v = select %x dim=0 index=0\n", kToB, "%y = neg %v\n")),
              MayRaceOnce(4, 1));
  EXPECT_THAT(RacesOf(absl::StrCat(kToB, "%v = select %x dim=0 index=0\n%d = detach %x\n")),
              AreInOrder())
      << "which touch no memory";
}

TEST(StreamRaces, AReshapeMayCopy) {
  EXPECT_THAT(RacesOf(absl::StrCat(kToB, "%v = reshape %x shape=2,1\n")), MayRaceOnce(3, 1));
}

TEST(StreamRaces, NothingIsCertainOfWhatIsEmptyOrFails) {
  const std::string empty = "%e = leaf type=f64[0] device=dev:0\n";
  EXPECT_THAT(RacesOf(absl::StrCat(empty, kToB, "%y = neg %e\n")), MayRaceOnce(4, 2));
  EXPECT_THAT(
      RacesOf(absl::StrCat(kToB, "%n = leaf type=f64[0,2] device=dev:0\n%y = matmul %n %x\n")),
      MayRaceOnce(4, 1))
      << "a product with nothing";
  EXPECT_THAT(RacesOf(absl::StrCat(kToB, "%y = neg %x\n"), {.survived = {}, .last = 3}),
              MayRaceOnce(3, 1));
}

TEST(StreamRaces, ARunEndsWithItsError) {
  EXPECT_THAT(
      RacesOf(absl::StrCat("%z = neg %x\n", kToB, "%y = neg %x\n"), {.survived = {}, .last = 2}),
      AreInOrder());
  EXPECT_THAT(
      RacesOf(absl::StrCat("begin kind=try\n%z = neg %x\nrelu_ %x\nend\n", kToB, "%y = neg %x\n"),
              {.survived = {3}, .last = -1})
          .possible,
      ElementsAre(UnorderedPair{7, 1}))
      << "the rest of a region that an error ends does not run";
}

// A copy between devices is work of the source's stream, between what the other's got before and
// what it gets next.
TEST(StreamRaces, CopiesOrderTheStreamsOfBothDevices) {
  EXPECT_THAT(RacesOf("%y = to %x device=dev:1\n%z = neg %y\n%v = to %z device=dev:0\n"
                      "%w = mul %v %x\n"),
              AreInOrder());
  EXPECT_THAT(RacesOf("%y = to %x device=dev:1\nstream id=b device=dev:1\n%z = neg %y\n"),
              RaceOnce(4, 2));
}

TEST(StreamRaces, TheHostWaitsForACopyToItAndAllComesAfterTheHost) {
  EXPECT_THAT(RacesOf(absl::StrCat("%y = to %x device=cpu\n", kToB, "%z = neg %x\n")),
              AreInOrder());
}

// A node has one stream; what it saved on other devices it reads on the caller's.
TEST(StreamRaces, ANodeOfTwoDevicesFollowsItsForwardStatementOnOne) {
  const std::string made =
      "%u = leaf type=f64[2] data=1,2 grad=1 device=dev:1\n%v,%w = custom %u %x do=exp\n";
  EXPECT_THAT(RacesOf(absl::StrCat(made, "stream id=b device=dev:1\nbackward %v\n")), AreInOrder());
  EXPECT_THAT(RacesOf(absl::StrCat(made, kToB, "backward %v\n")).possible,
              ElementsAre(UnorderedPair{5, 1}, UnorderedPair{5, 3}));
  EXPECT_THAT(RacesOf(absl::StrCat(made, "stream id=b device=dev:0 waits=1\nbackward %v\n")),
              AreInOrder());
}

// What a node saved, a call may read; to the caller the call is work of its current stream.
TEST(StreamRaces, ACallIsWorkOfTheCallersStreams) {
  const std::string made = "%y = exp %x\n";
  EXPECT_THAT(RacesOf(absl::StrCat(made, "backward %y\n%z = neg %x\n")), AreInOrder());
  EXPECT_THAT(RacesOf(absl::StrCat(made, kToB, "backward %y\n")), AreInOrder())
      << "its nodes run on the stream of their forward statements";
  EXPECT_THAT(RacesOf(absl::StrCat(made, kToB, "%z = neg %y\nbackward %y\n")).possible,
              ElementsAre(UnorderedPair{4, 2}, UnorderedPair{5, 2}))
      << "the node of neg, on stream b, may read %y";
}

TEST(StreamRaces, ResultsAndGradsOfACallBelongToTheCallersStream) {
  const std::string called = "%y = mul %x %x\n%g = grad %y inputs=%x\n";
  EXPECT_THAT(RacesOf(absl::StrCat(called, "%z = neg %g\n")), AreInOrder());
  EXPECT_THAT(RacesOf(absl::StrCat(called, kToB, "%z = neg %g\n")), RaceOnce(5, 3));
  EXPECT_THAT(RacesOf(absl::StrCat("%y = mul %x %x\nbackward %y\n", kToB, "%g = read_grad %x\n")),
              MayRaceOnce(5, 3));
}

// It may make streams wait that had work before, and the host where a value is on the cpu, but no
// others.
TEST(StreamRaces, ACallMayHaveOrderedWhatCameBeforeIt) {
  const std::string called = "%y = mul %x %x\n%g = grad %y inputs=%x\n";
  const std::string reads = absl::StrCat(kToB, "%z = neg %g\n");
  EXPECT_THAT(RacesOf(absl::StrCat(called, reads)), RaceOnce(5, 3));
  EXPECT_THAT(RacesOf(absl::StrCat("%c = leaf type=f64[] data=1\n", called, reads)),
              MayRaceOnce(6, 4));
  EXPECT_THAT(RacesOf(absl::StrCat("stream id=b device=dev:0 waits=1\n%v = neg %x\n",
                                   "stream id=a device=dev:0 waits=1\n", called, reads)),
              MayRaceOnce(8, 6));
  EXPECT_THAT(RacesOf(absl::StrCat("%y = mul %x %x\nbackward %y\n", kToB, "%z = neg %y\n")),
              RaceOnce(5, 2));
}

TEST(StreamRaces, NothingIsSaidOfThreadSections) {
  EXPECT_FALSE(RacesOf("begin kind=thread\n%y = neg %x\nend\n").known);
}

}  // namespace
}  // namespace twingrad::reference
