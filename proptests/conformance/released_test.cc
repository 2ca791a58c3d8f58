// The graph of a gradient of a gradient is the engine's own, and so is what a call over it
// releases.

#include "proptests/conformance/released.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "proptests/conformance/testing_engines.h"
#include "proptests/conformance/testing_judge.h"

namespace twingrad::conformance {
namespace {

using protocol::Fact;
using protocol::Hello;
using twingrad::program::CallRecord;
using twingrad::program::NodeName;
using twingrad::program::NodeRole;
using twingrad::program::Observation;
using twingrad::program::Program;

constexpr int32_t kSecond = 2, kFirstCall = 4, kSecondCall = 5;

// The twin's third derivative leads back through what made the second.
Program ThirdDerivative() {
  return Parsed(
      "%x = leaf type=f64[] data=0 grad=1\n%y = gelu %x\n%dx = grad %y inputs=%x create_graph=1\n"
      "%ddx = grad %dx inputs=%x create_graph=1\nbackward %ddx\nbackward %dx\n");
}

// Nodes that lead to each other in this order.
CallRecord CallOver(int32_t statement, const std::vector<NodeName>& names) {
  CallRecord call;
  call.statement = statement;
  call.accumulate_grad = true;
  for (const NodeName& name : names) {
    const auto place = static_cast<int32_t>(call.nodes.size());
    if (place > 0) call.nodes.back().next_edges = {{place, 0}};
    call.nodes.emplace_back().name = name;
    call.dependencies.push_back(place == 0 ? -1 : 1);
    call.executed.push_back(place);
  }
  call.roots = {{0, 0}};
  return call;
}

constexpr NodeName kLeaf = {NodeRole::kAccumulateGrad, 0, 0};
constexpr NodeName kOfSecond = {NodeRole::kBackward, kSecond, 0};
constexpr NodeName kOfThird = {NodeRole::kBackward, 3, 0};

// The second call comes back, and the first one had run these nodes.
auto ComesBackAfter(std::vector<NodeName> first) {
  return [=](Observation& o) {
    o.error.reset();
    std::erase_if(o.calls, [](const CallRecord& call) { return call.statement >= kFirstCall; });
    o.calls.push_back(CallOver(kFirstCall, first));
    o.calls.push_back(CallOver(kSecondCall, {kOfSecond, kLeaf}));
  };
}

Hello Engine() {
  Hello hello = Everything();
  hello.facts.erase(Fact::kOrder);
  return hello;
}

TEST(ReleasedTest, TheTwinsGraphIsReleased) {
  const Expectation expected = Expect(ThirdDerivative(), Engine());
  const auto& error = expected.twin.observation.error;
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->error, ErrorKind::kFreed);
  EXPECT_EQ(error->statement, kSecondCall);
  EXPECT_FALSE(FindsNothingReleased(expected.twin, expected.twin.observation));
}

TEST(ReleasedTest, ACallThatRunsNothingReleasedMayComeBack) {
  const ForeignVerdict verdict =
      Judge(ThirdDerivative(), Engine(), ComesBackAfter({kOfThird, kLeaf}));
  EXPECT_EQ(verdict.outcome, Outcome::kNotJudged) << verdict.text;
}

TEST(ReleasedTest, ACallThatRunsWhatWasReleasedMustNot) {
  const ForeignVerdict verdict =
      Judge(ThirdDerivative(), Engine(), ComesBackAfter({kOfThird, kOfSecond, kLeaf}));
  EXPECT_EQ(verdict.outcome, Outcome::kWrong);
  EXPECT_EQ(verdict.rule, "errors");
}

// Nor one of an engine that does not show its nodes.
TEST(ReleasedTest, WithoutNodesItMustNot) {
  for (const Fact hidden : {Fact::kGraph, Fact::kNames}) {
    Hello hello = Engine();
    hello.facts.erase(hidden);
    EXPECT_EQ(Judge(ThirdDerivative(), hello, ComesBackAfter({kOfThird, kLeaf})).rule, "errors");
  }
}

// The nested call may be the one that needs what was released.
TEST(ReleasedTest, WithNestedCallsItMustNot) {
  const auto with_nested = [](Observation& o) {
    ComesBackAfter({kOfThird, kLeaf})(o);
    CallRecord nested = CallOver(kFirstCall, {kOfThird, kLeaf});
    nested.outer = static_cast<int32_t>(o.calls.size()) - 1;
    o.calls.push_back(nested);
  };
  EXPECT_EQ(Judge(ThirdDerivative(), Engine(), with_nested).rule, "errors");
}

// What statements make is the same in every engine.
TEST(ReleasedTest, NodesOfStatementsAreTheProgramsOwn) {
  const Program twice =
      Parsed("%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbackward %y\nbackward %y\n");
  const auto forgets = [](Observation& o) {
    o.error.reset();
    o.calls.clear();
    o.calls.push_back(CallOver(2, {kLeaf}));
    o.calls.push_back(CallOver(3, {{NodeRole::kStatement, 1, 0}, kLeaf}));
  };
  EXPECT_EQ(Judge(twice, Engine(), forgets).outcome, Outcome::kWrong);
}

}  // namespace
}  // namespace twingrad::conformance
