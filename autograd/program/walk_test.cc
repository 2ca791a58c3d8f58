#include "autograd/program/walk.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "autograd/program/parse.h"

namespace twingrad::program {
namespace {

// Notes which statements run, in which grad mode, and raises the errors that a test asks for.
class FakeRunner : public StatementRunner {
 public:
  bool BeforeStatement(int32_t index) override {
    before.push_back(index);
    return index != stop_before;
  }
  std::optional<ErrorRecord> RunStatement(int32_t index) override {
    ran.push_back(index);
    modes.push_back(mode);
    const auto error = errors.find(index);
    if (error == errors.end()) return std::nullopt;
    return ErrorRecord{error->second, index, "raised"};
  }
  bool IsSurvivable(ErrorKind error) const override { return error != ErrorKind::kInternal; }
  // One after another, on this thread.
  std::optional<std::vector<SectionEnd>> RunSections(
      const std::vector<Section>& sections) override {
    if (program == nullptr) return StatementRunner::RunSections(sections);
    std::vector<SectionEnd> ends;
    for (const Section& section : sections) ends.push_back(WalkSection(*program, section, *this));
    return ends;
  }
  bool grad_mode() const override { return mode; }
  void set_grad_mode(bool enabled) override { mode = enabled; }

  std::optional<ErrorRecord> EnterRegion(int32_t begin, RegionKind kind) override {
    if (kind != RegionKind::kAnomaly) return RefuseRegion(begin, kind);
    if (errors.contains(begin)) return ErrorRecord{errors[begin], begin, "raised"};
    ran.push_back(begin);
    modes.push_back(mode);
    return std::nullopt;
  }
  void LeaveRegion(int32_t begin, RegionKind) override { left.push_back(begin); }

  const Program* program = nullptr;  // whose sections it runs; null: it runs none
  std::map<int32_t, ErrorKind> errors;
  int32_t stop_before = -1;
  bool mode = true;
  std::vector<int32_t> before, ran, left;
  std::vector<bool> modes;
};

Observation WalkText(const std::string& lines, FakeRunner& runner) {
  const auto program = Parse("twingrad 1\n" + lines);
  EXPECT_TRUE(program.ok()) << program.status();
  Observation seen;
  Walk(*program, runner, seen);
  return seen;
}

constexpr char kLeaf[] = "%x = leaf type=f64[] data=3 grad=1\n";

TEST(Walk, NoGradLastsToTheEndOfItsRegion) {
  FakeRunner runner;
  const Observation seen =
      WalkText(std::string(kLeaf) + "begin kind=no_grad\n%a = neg %x\nend\n%b = neg %x\n", runner);
  EXPECT_FALSE(seen.error.has_value());
  EXPECT_EQ(runner.before, (std::vector<int32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(runner.ran, (std::vector<int32_t>{0, 2, 4}));
  EXPECT_EQ(runner.modes, (std::vector<bool>{true, false, true}));
}

TEST(Walk, ExpectationsAreNotRun) {
  FakeRunner runner;
  WalkText(std::string(kLeaf) + "expect %x kind=value data=3\n", runner);
  EXPECT_EQ(runner.ran, (std::vector<int32_t>{0}));
}

TEST(Walk, AnErrorEndsTheRun) {
  FakeRunner runner;
  runner.errors = {{1, ErrorKind::kDomain}};
  const Observation seen = WalkText(std::string(kLeaf) + "%a = neg %x\n%b = neg %x\n", runner);
  ASSERT_TRUE(seen.error.has_value());
  EXPECT_EQ(seen.error->error, ErrorKind::kDomain);
  EXPECT_EQ(seen.error->statement, 1);
  EXPECT_EQ(runner.ran, (std::vector<int32_t>{0, 1}));
}

TEST(Walk, ATryRegionHoldsAnErrorAndRestoresGradMode) {
  FakeRunner runner;
  runner.errors = {{3, ErrorKind::kDomain}};
  const Observation seen = WalkText(std::string(kLeaf) +
                                        "begin kind=try\nbegin kind=no_grad\n%a = neg %x\n"
                                        "%b = neg %x\nend\nend\n%c = neg %x\n",
                                    runner);
  EXPECT_FALSE(seen.error.has_value());
  ASSERT_EQ(seen.survived.size(), 1u);
  EXPECT_EQ(seen.survived[0].statement, 3);
  EXPECT_EQ(runner.ran, (std::vector<int32_t>{0, 3, 7}));
  EXPECT_EQ(runner.modes, (std::vector<bool>{true, false, true}));
}

TEST(Walk, WhatIsNotSurvivableEndsTheRunInATryRegionToo) {
  for (const ErrorKind error : {ErrorKind::kInternal, ErrorKind::kUnsupported}) {
    FakeRunner runner;
    runner.errors = {{2, error}};
    const Observation seen =
        WalkText(std::string(kLeaf) + "begin kind=try\n%a = neg %x\nend\n", runner);
    ASSERT_TRUE(seen.error.has_value());
    EXPECT_EQ(seen.error->error, error);
    EXPECT_TRUE(seen.survived.empty());
  }
}

// Shows that a runner closes each region that it opened, innermost first, however it is left.
TEST(Walk, RegionsOfTheRunnerAreLeftHoweverTheyEnd) {
  const std::string lines = std::string(kLeaf) +
                            "begin kind=try\nbegin kind=anomaly\nbegin kind=no_grad\n"
                            "begin kind=anomaly\n%a = neg %x\nend\nend\nend\nend\n%b = neg %x\n";
  FakeRunner ended;
  WalkText(lines, ended);
  EXPECT_EQ(ended.ran, (std::vector<int32_t>{0, 2, 4, 5, 10}));
  EXPECT_EQ(ended.left, (std::vector<int32_t>{4, 2}));

  FakeRunner survived;
  survived.errors = {{5, ErrorKind::kDomain}};
  WalkText(lines, survived);
  EXPECT_EQ(survived.left, (std::vector<int32_t>{4, 2}));
  EXPECT_EQ(survived.ran, (std::vector<int32_t>{0, 2, 4, 5, 10}));
  EXPECT_TRUE(survived.mode);

  FakeRunner refused;
  refused.errors = {{4, ErrorKind::kInvalidArgument}};
  WalkText(lines, refused);
  EXPECT_EQ(refused.left, (std::vector<int32_t>{2}));
  EXPECT_EQ(refused.ran, (std::vector<int32_t>{0, 2, 10}));

  FakeRunner failed;
  failed.errors = {{5, ErrorKind::kInternal}};
  WalkText(lines, failed);
  EXPECT_EQ(failed.left, (std::vector<int32_t>{4, 2}));
  EXPECT_TRUE(failed.mode);
}

// A runner that opens no regions refuses them.
class PlainRunner : public FakeRunner {
 public:
  std::optional<ErrorRecord> EnterRegion(int32_t begin, RegionKind kind) override {
    return StatementRunner::EnterRegion(begin, kind);
  }
};

TEST(Walk, OtherRegionsAreUnsupported) {
  PlainRunner runner;
  const Observation seen = WalkText("begin kind=anomaly\nend\n", runner);
  ASSERT_TRUE(seen.error.has_value());
  EXPECT_EQ(seen.error->error, ErrorKind::kUnsupported);
  EXPECT_EQ(seen.error->message,
            "[program] a region of kind=anomaly is not run by this engine; leave it out");
}

constexpr char kSections[] =
    "begin kind=thread\n%a = neg %x\n%b = neg %a\nend\n"
    "begin kind=thread\n%c = neg %x\nend\n"
    "%d = neg %x\n";

Observation WalkSections(FakeRunner& runner) {
  const auto program = Parse(std::string("twingrad 1\n") + kLeaf + kSections);
  EXPECT_TRUE(program.ok()) << program.status();
  runner.program = &*program;
  Observation seen;
  Walk(*program, runner, seen);
  return seen;
}

TEST(Walk, AdjacentThreadSectionsRunTogether) {
  FakeRunner runner;
  const Observation seen = WalkSections(runner);
  EXPECT_FALSE(seen.error.has_value());
  EXPECT_EQ(runner.ran, (std::vector<int32_t>{0, 2, 3, 6, 8}));
  EXPECT_EQ(runner.before, (std::vector<int32_t>{0, 1, 2, 3, 6, 8}));
}

TEST(Walk, AnErrorEndsItsThreadSectionAlone) {
  FakeRunner runner;
  runner.errors = {{2, ErrorKind::kDomain}, {6, ErrorKind::kFreed}};
  const Observation seen = WalkSections(runner);
  EXPECT_FALSE(seen.error.has_value());
  ASSERT_EQ(seen.survived.size(), 2u);
  EXPECT_EQ(seen.survived[0].statement, 2);
  EXPECT_EQ(seen.survived[1].statement, 6);
  EXPECT_EQ(runner.ran, (std::vector<int32_t>{0, 2, 6, 8}));
}

TEST(Walk, WhatIsNotSurvivableInAThreadSectionEndsTheRunAfterAll) {
  FakeRunner runner;
  runner.errors = {{2, ErrorKind::kInternal}, {6, ErrorKind::kUnsupported}};
  const Observation seen = WalkSections(runner);
  ASSERT_TRUE(seen.error.has_value());
  EXPECT_EQ(seen.error->statement, 2);  // the first in the order of the Program
  EXPECT_EQ(runner.ran, (std::vector<int32_t>{0, 2, 6}));
}

TEST(Walk, ARunnerNeedNotRunThreadSections) {
  FakeRunner runner;
  const Observation seen = WalkText(std::string(kLeaf) + kSections, runner);
  ASSERT_TRUE(seen.error.has_value());
  EXPECT_EQ(seen.error->error, ErrorKind::kUnsupported);
}

TEST(Walk, ARunnerCanEndTheRun) {
  FakeRunner runner;
  runner.stop_before = 1;
  const Observation seen = WalkText(std::string(kLeaf) + "%a = neg %x\n", runner);
  EXPECT_FALSE(seen.error.has_value());
  EXPECT_EQ(runner.ran, (std::vector<int32_t>{0}));
}

}  // namespace
}  // namespace twingrad::program
