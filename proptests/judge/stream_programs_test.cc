// Programs over several streams that users write and random draws hardly ever make: the judge
// agrees with the engine. //proptests/mutants/scenario runs the same tests with planted defects,
// where it must not.

#include <string>

#include "autograd/program/parse.h"
#include "autograd/program/program.h"
#include "gtest/gtest.h"
#include "proptests/judge/judge.h"

namespace twingrad::judge {
namespace {

// Empty if the judge agrees with the engine on these statements, without and with device threads.
std::string Complaint(const std::string& statements) {
  const auto program = program::Parse("twingrad 1\n" + statements);
  if (!program.ok()) return program.status().ToString();
  Judge judge;
  const Judgement judgement = judge(*program);
  if (judgement.skipped) return "skipped";
  return judgement.Failure() == nullptr ? "" : judgement.Failure()->text;
}

// A layer beside a shortcut, and a penalty of the weights that another stream computes; the loss is
// the mean of squares. The gradient of their sum goes to all three, and the penalty's stream is
// queued to read it: the sum for the input must not be made in that memory, although nobody holds
// it any more.
// Rules: I8.
TEST(StreamPrograms, ASumLeavesMemoryToWhoMayStillReadIt) {
  EXPECT_EQ(Complaint("%x = leaf type=f64[2] data=3,1 grad=1 device=dev:0\n"
                      "%w = leaf type=f64[2] data=2,5 grad=1 device=dev:0\n"
                      "stream id=layers device=dev:0 waits=1\n"
                      "%l = neg %x\n"
                      "%h = add %l %x\n"
                      "stream id=penalty device=dev:0 waits=1\n"
                      "%p = mul %w %w\n"
                      "stream id=layers device=dev:0 waits=1\n"
                      "%y = add %h %p\n"
                      "%q = mul %y %y\n"
                      "%s = mean %q\n"
                      "backward %s\n"),
            "");
}

// A step that begins with a gradient other than none, as momentum has it, written on a stream that
// is current from then on. The copy's node gives to that device and is run by a thread of another:
// what it gives comes after all that the caller's stream has got, not the thread's own.
TEST(StreamPrograms, ThreadsOfDevicesHaveTheCallersStreams) {
  EXPECT_EQ(Complaint("%x = leaf type=f64[2] data=3,1 grad=1 device=dev:2\n"
                      "%m = leaf type=f64[2] data=7,4 device=dev:2\n"
                      "%c = to %x device=dev:1\n"
                      "%q = mul %c %c\n"
                      "%s = mean %q\n"
                      "stream id=training device=dev:2 waits=1\n"
                      "set_grad %x %m\n"
                      "backward %s\n"),
            "");
}

}  // namespace
}  // namespace twingrad::judge
