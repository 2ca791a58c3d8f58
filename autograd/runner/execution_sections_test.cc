// Thread sections on the engine: what a run shows does not depend on which thread was faster.

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/program/observation_text.h"
#include "autograd/program/parse.h"
#include "autograd/runner/run.h"
#include "autograd/runner/test_program.h"

namespace twingrad::runner {
namespace {

using program::NodeName;
using program::NodeRole;
using program::Observation;
using program::Program;

Observation RunOn(const std::string& lines, int threads = 0, const RunOptions& options = {}) {
  Engine engine({.device_threads = threads});
  return runner::Run(Parsed(lines), engine, options);
}

constexpr char kTwo[] =
    "%x = leaf type=f64[] data=3 grad=1\n"
    "begin kind=thread\n"
    "%a = mul %x %x\n"
    "hook %a id=h do=record\n"
    "backward %a retain_graph=1\n"
    "end\n"
    "begin kind=thread\n"
    "%l = leaf type=f64[] data=2 grad=1\n"
    "%b = mul %x %l\n"
    "backward %b\n"
    "end\n"
    "%c = mul %a %x\n"
    "backward %c\n";

TEST(SectionsRun, CallsAreRecordedInTheOrderOfTheProgram) {
  for (int turn = 0; turn < 20; ++turn) {
    const Observation seen = RunOn(kTwo);
    ASSERT_FALSE(seen.error.has_value()) << seen.error->message;
    ASSERT_EQ(seen.calls.size(), 3u);
    EXPECT_EQ(seen.calls[0].statement, 4);
    EXPECT_EQ(seen.calls[1].statement, 9);
    EXPECT_EQ(seen.calls[2].statement, 12);
    EXPECT_EQ(seen.calls[0].nodes[0].name, (NodeName{NodeRole::kStatement, 2, 0}));
    EXPECT_EQ(seen.calls[1].nodes[0].name, (NodeName{NodeRole::kStatement, 8, 0}));
    EXPECT_EQ(seen.calls[1].nodes[2].name, (NodeName{NodeRole::kAccumulateGrad, 7, 0}));
    EXPECT_EQ(seen.calls[2].nodes[1].name, (NodeName{NodeRole::kStatement, 2, 0}));
    // The hook of a section goes on in later calls.
    EXPECT_EQ(seen.calls[0].hooks.size(), 1u);
    EXPECT_TRUE(seen.calls[1].hooks.empty());
    EXPECT_EQ(seen.calls[2].hooks.size(), 1u);
    // 6 + 2 + 27
    EXPECT_EQ(
        program::PrintObservation(Parsed(kTwo), seen),
        program::PrintObservation(Parsed(kTwo), RunOn(kTwo, 0, {.one_section_at_a_time = true})));
  }
}

// What they show is what they show on threads of their own, and nothing of a section is left on its
// thread: neither streams nor modes.
TEST(SectionsRun, LentThreadsServeManyRuns) {
  constexpr char kModes[] =
      "%x = leaf type=f64[] data=3 grad=1\n"
      "begin kind=thread\n"
      "begin kind=no_grad\n"
      "%n = mul %x %x\n"
      "end\n"
      "stream id=s device=dev:0\n"
      "%a = mul %x %x\n"
      "backward %a\n"
      "end\n"
      "begin kind=thread\n"
      "begin kind=anomaly\n"
      "%b = neg %x\n"
      "hook %b do=throw\n"
      "backward %b\n"
      "end\n"
      "end\n";
  CallThreads threads;
  for (const char* lines : {kTwo, kModes, kTwo, kModes, kModes, kTwo}) {
    const std::string own =
        program::PrintObservation(Parsed(lines), RunOn(lines, 0, {.one_section_at_a_time = true}));
    RunOptions lent;
    lent.section_threads = &threads;
    EXPECT_EQ(program::PrintObservation(Parsed(lines), RunOn(lines, 0, lent)), own);
    lent.one_section_at_a_time = true;
    EXPECT_EQ(program::PrintObservation(Parsed(lines), RunOn(lines, 0, lent)), own);
  }
  EXPECT_GE(threads.Count(), 1u);
}

TEST(SectionsRun, AnErrorEndsItsSectionAlone) {
  const Observation seen = RunOn(
      "%x = leaf type=f64[] data=3 grad=1\n"
      "begin kind=thread\n"
      "%a = neg %x\n"
      "hook %a do=throw\n"
      "backward %a\n"
      "%never = neg %x\n"
      "end\n"
      "begin kind=thread\n"
      "%b = neg %x\n"
      "backward %b\n"
      "end\n"
      "%after = neg %x\n");
  EXPECT_FALSE(seen.error.has_value());
  ASSERT_EQ(seen.survived.size(), 1u);
  EXPECT_EQ(seen.survived[0].statement, 4);
  EXPECT_FALSE(seen.values[2].defined);
  EXPECT_TRUE(seen.values[4].defined);
}

// Whichever section makes the node of the view anew, all know its name.
TEST(SectionsRun, NamesTheNodeOfAViewThatAnotherSectionMadeAnew) {
  std::string lines =
      "%x = leaf type=f64[] data=3 grad=1\n"
      "%b = neg %x\n"
      "%v = view %b shape=1\n"
      "neg_ %b\n";
  for (const char* name : {"p", "q"}) {
    absl::StrAppend(&lines, "begin kind=thread\n%", name, " = neg %v\nbackward %", name, "\nend\n");
  }
  lines += "%r = neg %v\nbackward %r\n";
  for (int turn = 0; turn < 50; ++turn) {
    const Observation seen = RunOn(lines, 0, {.one_section_at_a_time = turn == 0});
    ASSERT_EQ(seen.calls.size(), 3u);
    for (const program::CallRecord& call : seen.calls) {
      ASSERT_GE(call.nodes.size(), 2u);
      EXPECT_EQ(call.nodes[1].name, (NodeName{NodeRole::kRegeneratedView, 2, 0}));
    }
  }
}

TEST(SectionsRun, ASectionHasTheGradModeOfWhereItStands) {
  const Observation seen = RunOn(
      "%x = leaf type=f64[] data=3 grad=1\n"
      "begin kind=no_grad\n"
      "begin kind=thread\n"
      "%a = neg %x\n"
      "end\n"
      "end\n"
      "begin kind=thread\n"
      "begin kind=no_grad\n"
      "%b = neg %x\n"
      "end\n"
      "%c = neg %x\n"
      "end\n");
  EXPECT_FALSE(seen.values[1].requires_grad);
  EXPECT_FALSE(seen.values[2].requires_grad);
  EXPECT_TRUE(seen.values[3].requires_grad);
}

TEST(SectionsRun, LateWritesAreLookedForAfterTheSections) {
  const Observation seen = RunOn(kTwo, 1, {.check_frozen = true});
  EXPECT_FALSE(seen.late_write.has_value());
  EXPECT_FALSE(seen.error.has_value());
}

}  // namespace
}  // namespace twingrad::runner
