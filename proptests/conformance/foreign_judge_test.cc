#include "proptests/conformance/foreign_judge.h"

#include <bit>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "autograd/program/signature.h"
#include "gtest/gtest.h"
#include "proptests/conformance/testing_engines.h"
#include "proptests/conformance/testing_judge.h"

namespace twingrad::conformance {
namespace {

using protocol::Fact;
using protocol::Hello;
using twingrad::ErrorKind;
using twingrad::program::Observation;
using twingrad::program::Program;

constexpr char kTwoSections[] =
    "%x = leaf type=f64[] data=3 grad=1\n%c = leaf type=f64[] data=2\nbegin kind=thread\n"
    "backward %c\nend\nbegin kind=thread\n%y = mul %x %c\nbackward %y\nend\n";

// Also where the order of nodes is the engine's own.
TEST(ForeignJudgeTest, ErrorsThatEndSectionsAreJudged) {
  const Program program = Parsed(kTwoSections);
  EXPECT_EQ(Judge(program, Everything(), AsItIs).outcome, Outcome::kAgree);
  const auto forgets = [](Observation& o) { o.survived.clear(); };
  const ForeignVerdict verdict = Judge(program, Everything(), forgets);
  EXPECT_EQ(verdict.outcome, Outcome::kWrong);
  EXPECT_EQ(verdict.rule, "survived");
  Hello silent = Everything();
  silent.facts.erase(Fact::kErrors);
  EXPECT_EQ(Judge(program, silent, forgets).outcome, Outcome::kAgree);
}

// Which call loses its graph is read from the run, and the rest judged.
TEST(ForeignJudgeTest, ASectionThatLosesItsGraphIsJudged) {
  const Program program = Parsed(
      "%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbegin kind=thread\nbackward %y\nend\n"
      "begin kind=thread\nbackward %y\nend\n");
  const auto second_fails = [](double grad) {
    return [grad](Observation& o) {
      o.survived = {{ErrorKind::kFreed, 6, "freed"}};
      o.calls.pop_back();
      o.values[0].grad.bits[0] = std::bit_cast<uint64_t>(grad);
    };
  };
  Hello without_graph = Everything();
  without_graph.facts.erase(Fact::kGraph);
  EXPECT_EQ(Judge(program, without_graph, second_fails(6)).outcome, Outcome::kAgree);
  // The dual numbers, which follow the errors of a run in which none does, give no second opinion.
  EXPECT_EQ(Judge(program, without_graph, second_fails(18)).rule, "twin");
}

TEST(ForeignJudgeTest, AgreesWithTheTwin) {
  const ForeignVerdict verdict = Judge(AsItIs);
  EXPECT_EQ(verdict.outcome, Outcome::kAgree) << verdict.text;
  EXPECT_TRUE(verdict.predicted);
  EXPECT_TRUE(verdict.recounted);
}

TEST(ForeignJudgeTest, AWrongGradientHasASecondOpinion) {
  const ForeignVerdict verdict = Judge(Grad(0, 7.0));
  EXPECT_EQ(verdict.outcome, Outcome::kWrong);
  EXPECT_EQ(verdict.rule, "twin");
  EXPECT_TRUE(absl::StrContains(verdict.text, "the dual numbers agree with the twin"));
  EXPECT_TRUE(absl::StrContains(verdict.text, "balls: the exact numbers are the twin's"));
}

// Rules of their own, so that a signature hides nothing else.
TEST(ForeignJudgeTest, ASeedThatBecameAGradAndARunTooManyAreNamed) {
  const Program seeded = Parsed(
      "%x = leaf type=f64[] data=3 grad=1\n%s = leaf type=f64[] data=2\n%y = mul %x %x\n"
      "backward %y seeds=%s\n");
  const auto written = [](Observation& observed) {
    observed.values[1].data.bits = observed.values[0].grad.bits;
  };
  EXPECT_EQ(Judge(seeded, Everything(), written).rule, "seed_is_grad");
  const auto other = Data(1, 7.0);
  EXPECT_EQ(Judge(seeded, Everything(), other).rule, "twin");
  const auto twice = [](Observation& observed) { observed.calls[0].executed.push_back(0); };
  EXPECT_EQ(Judge(twice).rule, "runs");
}

// A .grad that was replaced since, by a call that made a graph of it, still tells a seed.
TEST(ForeignJudgeTest, ASeedThatWasAGradBeforeIsNamedAndAnyOtherIsNot) {
  const Program seeded = Parsed(
      "%x = leaf type=f64[] data=3 grad=1\n%s = leaf type=f64[] data=2\n%y = mul %x %x\n"
      "backward %y seeds=%s retain_graph=1\nbackward %y create_graph=1\n");
  for (const auto& [value, rule] :
       {std::pair(12.0, "seed_is_grad"), {18.0, "seed_is_grad"}, {7.0, "twin"}}) {
    EXPECT_EQ(Judge(seeded, Everything(), Data(1, value)).rule, rule) << value;
  }
}

// So does one that zero_grad took away since.
TEST(ForeignJudgeTest, ASeedThatWasAGradBeforeZeroGradIsNamed) {
  const Program seeded = Parsed(
      "%x = leaf type=f64[] data=0 grad=1\n%v = reshape %x shape=scalar\nbackward %v seeds=%v\n"
      "backward %v\nzero_grad %x\n");
  const auto written = [](Observation& observed) {
    Data(0, 1.0)(observed);
    Data(1, 1.0)(observed);
  };
  EXPECT_EQ(Judge(seeded, Everything(), written).rule, "seed_is_grad");
}

TEST(ForeignJudgeTest, AGradientTooManyIsNotOneTooFew) {
  const auto surplus = [](Observation& observed) {
    observed.values[1].grad_defined = true;
    observed.values[1].grad = observed.values[0].grad;
  };
  EXPECT_EQ(Judge(surplus).rule, "only_defined");
  const auto missing = [](Observation& observed) { observed.values[0].grad_defined = false; };
  EXPECT_EQ(Judge(missing).rule, "twin");
}

// An error of a node that should not have run is told by the run.
TEST(ForeignJudgeTest, ARunTooManySaysMoreThanItsError) {
  const auto fails = Fails(ErrorKind::kVersion, 2, "written");
  EXPECT_EQ(Judge(fails).rule, "errors");
  const auto fails_in_a_run_too_many = [&](Observation& observed) {
    fails(observed);
    observed.calls[0].executed.push_back(0);
  };
  EXPECT_EQ(Judge(fails_in_a_run_too_many).rule, "runs");
}

// Where a statement is several nodes, what ran before an error is the engine's own.
TEST(ForeignJudgeTest, AnErrorMayComeBeforeAGradientWhereTheOrderIsNotPredicted) {
  const Program throws = Parsed(
      "%a = leaf type=f64[] data=3 grad=1\n%b = leaf type=f64[] data=2 grad=1\n%y = mul %a %b\n"
      "pre_hook %b do=throw\nbackward %y\n");
  const auto before = [](Observation& observed) {
    observed.values[0].grad_defined = false;
    observed.calls[0].executed.pop_back();
  };
  Hello hello = Everything();
  EXPECT_EQ(Judge(throws, hello, before).outcome, Outcome::kWrong);
  hello.single.erase(twingrad::program::Opcode::kMul);
  EXPECT_EQ(Judge(throws, hello, before).outcome, Outcome::kAgree);
  const auto half = Grad(0, 1.0);
  EXPECT_EQ(Judge(throws, hello, half).rule, "twin");
}

// A nested call uses the queue of ready nodes too, and a queue need keep no order among equals.
TEST(ForeignJudgeTest, NodesOfEqualRankHaveNoOrderWhereACallStandsWithinTheirs) {
  const auto rule = [](const std::string& action) {
    const Program program = Parsed(
        "%a = leaf type=f64[] data=1 grad=1\n%b = leaf type=f64[] data=2 grad=1\n"
        "%c = leaf type=f64[] data=3 grad=1\nhook %b do=" +
        action + "\nbackward %b %a %c\n");
    return Judge(program, Everything(),
                 [](Observation& observed) {
                   auto& executed = observed.calls.at(0).executed;
                   std::swap(executed.at(executed.size() - 1), executed.at(executed.size() - 2));
                 })
        .rule;
  };
  EXPECT_EQ(rule("record"), "order");
  EXPECT_EQ(rule("backward target=%b"), "");
}

TEST(ForeignJudgeTest, UnsupportedIsARefusal) {
  const ForeignVerdict verdict = Judge(Fails(ErrorKind::kUnsupported, 1, "no mul here"));
  EXPECT_EQ(verdict.outcome, Outcome::kRefuse);
}

// What it takes to count a call again is the call alone.
TEST(ForeignJudgeTest, CallsAreRecountedWhateverElseIsSaidOfTheirProgram) {
  const auto recount = [](const Program& program, const auto& change) {
    const auto wrong_count = [&](Observation& observed) {
      change(observed);
      observed.calls.at(0).dependencies.at(1) += 1;
    };
    const ForeignVerdict right = Judge(program, Everything(), change);
    EXPECT_TRUE(right.recounted);
    const ForeignVerdict wrong = Judge(program, Everything(), wrong_count);
    EXPECT_TRUE(wrong.recounted);
    EXPECT_EQ(wrong.outcome, Outcome::kWrong) << wrong.text;
    return std::pair(right, wrong.rule);
  };
  using Recounted = std::pair<ForeignVerdict, std::string>;
  const Program then_more =
      Parsed("%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbackward %y\n%z = neg %x\n");
  const Recounted refused = recount(then_more, Fails(ErrorKind::kUnsupported, 3, "no neg here"));
  EXPECT_EQ(refused.first.outcome, Outcome::kRefuse);
  EXPECT_EQ(refused.second, "recount");
  EXPECT_FALSE(refused.first.predicted);

  const Recounted error = recount(then_more, Fails(ErrorKind::kVersion, 3, "written"));
  EXPECT_EQ(error.first.rule, "errors");
  EXPECT_FALSE(error.first.predicted);

  const Recounted type =
      recount(Square(), [](Observation& observed) { observed.values[0].grad.shape.push_back(1); });
  EXPECT_EQ(type.first.rule, "gradient type");

  // The twin does not run streams; what an engine showed before one counts all the same.
  Expectation expected = Expect(Square(), Everything());
  Observation observed = expected.twin.observation;
  expected.twin.skipped = "a stream";
  ForeignVerdict skipped = JudgeForeign(Square(), Everything(), expected, observed, nullptr);
  EXPECT_EQ(skipped.outcome, Outcome::kNotJudged);
  EXPECT_TRUE(skipped.recounted);
  observed.calls.at(0).executed.push_back(0);
  skipped = JudgeForeign(Square(), Everything(), expected, observed, nullptr);
  EXPECT_EQ(skipped.rule, "runs") << skipped.text;
}

// So that a known failure can be told from others there too.
TEST(ForeignJudgeTest, CircumstancesAreToldWhereTheTwinSaysNothing) {
  const auto program =
      Parsed("%x = leaf type=f64[1] grad=1\n%y = repeat %x shape=0\n%s = sum %y\nbackward %s\n");
  Expectation expected = Expect(program, Everything());
  Observation observed = expected.twin.observation;
  expected.twin.skipped = "a stream";
  observed.calls.at(0).executed.push_back(0);
  const ForeignVerdict judged = JudgeForeign(program, Everything(), expected, observed, nullptr);
  EXPECT_TRUE(absl::StrContains(judged.text, "  circumstance: repeat of 0 times\n")) << judged.text;
}

// Of a Program for which the twin says nothing too.
TEST(ForeignJudgeTest, AWriteIntoAGradThatReachesASeedIsNamed) {
  const auto program = Parsed("%x = leaf type=f64[] grad=1\n%y = neg %x\nbackward %y seeds=%y\n");
  const auto rule_of = [&](twingrad::program::ValueId value, bool skipped) {
    Expectation expected = Expect(program, Everything());
    Observation observed = expected.twin.observation;
    observed.accessors.resize(1);
    observed.accessors[0].accessor = "after_writes";
    observed.accessors[0].value = value;
    if (skipped) expected.twin.skipped = "a reason";
    return JudgeForeign(program, Everything(), expected, observed, nullptr).rule;
  };
  for (const bool skipped : {false, true}) {
    EXPECT_EQ(rule_of(1, skipped), "seed_is_grad");
    EXPECT_EQ(rule_of(0, skipped), "accessors");
  }
}

TEST(ForeignJudgeTest, WhatIsRecountedIsWhatWasCalledAndShown) {
  const ForeignVerdict none = Judge([](Observation& observed) {
    observed.calls.clear();
    observed.error = {ErrorKind::kUnsupported, 1, "no mul here"};
  });
  EXPECT_TRUE(none.ran);
  EXPECT_FALSE(none.called || none.recounted || none.predicted);

  Hello hello = Everything();
  hello.facts.erase(Fact::kGraph);
  const ForeignVerdict blind = Judge(Square(), hello, AsItIs);
  EXPECT_TRUE(blind.ran && blind.called);
  EXPECT_FALSE(blind.recounted || blind.predicted);

  const Program twice = Parsed(
      "%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbackward %y retain_graph=1\n"
      "begin kind=try\nbackward %x\nend\nbackward %y\n");
  const ForeignVerdict both = Judge(twice, Everything(), AsItIs);
  EXPECT_TRUE(both.called && both.recounted) << both.text;
  const ForeignVerdict one =
      Judge(twice, Everything(), [](Observation& observed) { observed.calls.pop_back(); });
  EXPECT_TRUE(one.called);
  EXPECT_FALSE(one.recounted);
}

// Then the fault is this repository's, whether the engine follows one of the two or neither.
TEST(ForeignJudgeTest, WitnessesThatContradictEachOtherAreTold) {
  for (const double gradient : {6.0, 5.0}) {
    Expectation expected = Expect(Square(), Everything());
    ASSERT_TRUE(expected.dual.grads.at(0).known);
    expected.dual.grads[0].data[0] = 7;
    Observation observed = expected.twin.observation;
    Grad(0, gradient)(observed);
    const ForeignVerdict judged = JudgeForeign(Square(), Everything(), expected, observed, nullptr);
    EXPECT_EQ(judged.outcome, Outcome::kWrong) << gradient;
    EXPECT_EQ(judged.rule, "witnesses") << gradient;
    EXPECT_TRUE(absl::StrContains(judged.text, "the dual numbers contradict the twin"))
        << judged.text;
  }
}

// An error that engine and twin have in common; of one that the twin alone has, the engine is not
// blamed.
TEST(ForeignJudgeTest, BallsFindWhatTheTwinSharesWithTheEngine) {
  const Program program =
      Parsed("%x = leaf type=f64[] data=0.5 grad=1\n%y = tanh %x\nbackward %y\n");
  // The exact number is 0.786...; the third engine lies within a tenth of it, and its twin does
  // not.
  for (const auto& [balls, engine, twin, rule] : {std::tuple(true, 0.54, 0.54, "ball"),
                                                  {false, 0.54, 0.54, ""},
                                                  {true, 0.7, 0.62, "witnesses"}}) {
    Expectation expected = Expect(program, Everything(), balls);
    EXPECT_EQ(expected.ball.has_value(), balls);
    expected.dual.not_applicable = "not asked";
    Observation observed = expected.twin.observation;
    Grad(0, engine)(observed);
    Grad(0, twin)(expected.twin.observation);
    expected.twin.grad_bounds[0].bound = {0.1};
    const ForeignVerdict judged = JudgeForeign(program, Everything(), expected, observed, nullptr);
    EXPECT_EQ(judged.rule, rule) << judged.text;
  }
}

// What balls enclose is judged as where they are not asked: another slope that is legal is no
// finding, one that is not is wrong, be it within their hull.
TEST(ForeignJudgeTest, BallsLeaveConventionsToTheLegalSet) {
  const Program program =
      Parsed("%x = leaf type=f64[] data=0 grad=1\n%y = relu %x\n%z = add %y %y\nbackward %z\n");
  for (const auto& [gradient, outcome] : {std::pair(2.0, Outcome::kConvention),
                                          {1.0, Outcome::kConvention},
                                          {3.0, Outcome::kWrong}}) {
    Expectation expected = Expect(program, Everything(), /*balls=*/true);
    Observation observed = expected.twin.observation;
    Grad(0, gradient)(observed);
    EXPECT_EQ(JudgeForeign(program, Everything(), expected, observed, nullptr).outcome, outcome)
        << gradient;
  }
}

TEST(ForeignJudgeTest, OnlyWhatTheHelloClaimsIsCompared) {
  const auto version = [](Observation& observed) { observed.values[0].version = 9; };
  const auto count = [](Observation& observed) { observed.calls[0].dependencies[1] = 9; };
  const auto order = [](Observation& observed) { observed.calls[0].executed.clear(); };
  const auto accessor = [](Observation& observed) {
    observed.accessors = {{"clone", 0, true, observed.values[0].grad, std::nullopt, "none"}};
  };
  for (const auto& [fact, outcome] : {std::pair(true, Outcome::kWrong), {false, Outcome::kAgree}}) {
    Hello hello = Everything();
    if (!fact) hello.facts = {};
    EXPECT_EQ(Judge(Square(), hello, version).outcome, outcome);
    EXPECT_EQ(Judge(Square(), hello, count).outcome, outcome);
    EXPECT_EQ(Judge(Square(), hello, order).outcome, outcome);
    EXPECT_EQ(Judge(Square(), hello, accessor).outcome, outcome);
  }
}

TEST(ForeignJudgeTest, CountsArePredictedOnlyWhereEveryOpIsOneNode) {
  Hello hello = Everything();
  hello.single.erase(twingrad::program::Opcode::kMul);
  const auto rename = [](Observation& observed) { observed.calls[0].nodes[0].name.index = 5; };
  EXPECT_EQ(Judge(Square(), hello, rename).outcome, Outcome::kAgree);
  EXPECT_FALSE(Judge(Square(), hello, rename).predicted);
  EXPECT_EQ(Judge(rename).rule, "predicted");
}

TEST(ForeignJudgeTest, TheClassOfAnErrorCountsWhereItIsClaimed) {
  const Program twice =
      Parsed("%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbackward %y\nbackward %y\n");
  const auto other = [](Observation& observed) { observed.error->error = ErrorKind::kInternal; };
  Hello hello = Everything();
  EXPECT_EQ(Judge(twice, hello, other).rule, "errors");
  hello.facts.erase(Fact::kErrors);
  EXPECT_EQ(Judge(twice, hello, other).outcome, Outcome::kAgree);
  const auto none = [](Observation& observed) { observed.error.reset(); };
  EXPECT_EQ(Judge(twice, hello, none).rule, "errors");
}

// An engine that frees no graph is not blamed for it, and for the rest it is.
TEST(ForeignJudgeTest, AnErrorThatTheEngineDoesNotHaveIsRefused) {
  const std::string once = "%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbackward %y\n";
  const Program twice = Parsed(once + "backward %y\n");
  const Program region = Parsed(once + "begin kind=try\nneg_ %x\nend\n");
  const auto ran = [](Observation& observed) {
    observed.error.reset();
    Grad(0, 12.0)(observed);
  };
  Hello hello = Everything();
  hello.facts = {};
  EXPECT_EQ(Judge(twice, hello, ran).outcome, Outcome::kWrong);
  EXPECT_EQ(Judge(region, hello, ran).outcome, Outcome::kWrong);
  hello.raises = std::set<ErrorKind>{ErrorKind::kFreed};
  EXPECT_EQ(Judge(twice, hello, ran).outcome, Outcome::kWrong);
  EXPECT_EQ(Judge(region, hello, ran).outcome, Outcome::kRefuse);
  hello.raises = std::set<ErrorKind>{ErrorKind::kShape};
  const ForeignVerdict verdict = Judge(twice, hello, ran);
  EXPECT_EQ(verdict.outcome, Outcome::kRefuse);
  EXPECT_EQ(verdict.text,
            "statement 3 is an error of class freed, which the engine does not raise");
  EXPECT_EQ(Judge(region, hello, ran).outcome, Outcome::kRefuse);
  EXPECT_EQ(Judge(Parsed(once), hello, ran).outcome, Outcome::kWrong);
}

}  // namespace
}  // namespace twingrad::conformance
