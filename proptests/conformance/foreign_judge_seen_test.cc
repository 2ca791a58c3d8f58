// What hooks and custom functions see at points without a derivative is judged as what values show:
// element by element, by the answers that are legal.

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "proptests/conformance/foreign_judge.h"
#include "proptests/conformance/testing_engines.h"
#include "proptests/conformance/testing_judge.h"

namespace twingrad::conformance {
namespace {

using twingrad::program::HookRecord;
using twingrad::program::Observation;
using twingrad::program::Program;
using twingrad::program::TensorData;

// Elements become these, one after the other; NaN leaves one as it is.
void Become(const std::vector<double>& elements, TensorData& data) {
  ASSERT_EQ(data.bits.size(), elements.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    if (elements[i] == elements[i]) data.bits[i] = std::bit_cast<uint64_t>(elements[i]);
  }
}

// The first value's .grad, and what the records of the last call saw, become these. Empty: they
// stay as they are.
auto Shows(std::vector<double> grad, std::vector<std::vector<double>> seen) {
  return [=](Observation& observed) {
    if (!grad.empty()) Become(grad, observed.values[0].grad);
    std::vector<HookRecord>& hooks = observed.calls.back().hooks;
    ASSERT_EQ(hooks.size(), seen.size());
    for (size_t i = 0; i < seen.size(); ++i) {
      if (!seen[i].empty()) Become(seen[i], hooks[i].gradient);
    }
  };
}

ForeignVerdict JudgeShown(const std::string& statements, const std::vector<double>& grad,
                          const std::vector<std::vector<double>>& seen) {
  return Judge(Parsed(statements), Everything(), Shows(grad, seen));
}

constexpr const char* kLeaf = "%x = leaf type=f64[2] data=0,2 grad=1\n";
constexpr const char* kEnd = "%y = relu %v\n%s = sum %y\nbackward %s\n";
constexpr double kAsItIs = std::numeric_limits<double>::quiet_NaN();

// The slope of relu at 0 is between 0 and 1, at 2 it is 1.
TEST(ForeignJudgeSeenTest, WhatEachHookSeesIsJudgedByTheLegalAnswers) {
  const std::string clone = absl::StrCat(kLeaf, "%v = clone %x\n");
  for (const std::string& text : {
           absl::StrCat(clone, "hook %v do=record\n", kEnd),
           absl::StrCat(clone, "pre_hook %v do=record\n", kEnd),
           absl::StrCat(clone, "post_hook %v do=record\n", kEnd),
           absl::StrCat(clone, "hook %x do=record\n", kEnd),
           absl::StrCat(clone, "hook %v do=warn\n", kEnd),
           absl::StrCat(clone, "accumulate_hook %x do=record\n", kEnd),
           absl::StrCat(kLeaf, "%v = custom %x do=pass\n", kEnd),
       }) {
    const auto outcome = [&](const std::vector<double>& grad, const std::vector<double>& seen) {
      return JudgeShown(text, grad, {seen}).outcome;
    };
    EXPECT_EQ(outcome({}, {}), Outcome::kAgree) << text;
    EXPECT_EQ(outcome({1, 1}, {1, 1}), Outcome::kConvention) << text;
    EXPECT_EQ(outcome({0.25, 1}, {0.25, 1}), Outcome::kConvention) << text;
    // Beyond the set, and beside the kink.
    EXPECT_EQ(outcome({}, {7, 1}), Outcome::kWrong) << text;
    EXPECT_EQ(outcome({1, 1}, {7, 1}), Outcome::kWrong) << text;
    EXPECT_EQ(outcome({1, 1}, {-1, 1}), Outcome::kWrong) << text;
    EXPECT_EQ(outcome({}, {0, 7}), Outcome::kWrong) << text;
    EXPECT_EQ(outcome({1, 1}, {1, 7}), Outcome::kWrong) << text;
    // One slope is kept in all uses.
    EXPECT_EQ(outcome({}, {1, 1}), Outcome::kWrong) << text;
    EXPECT_EQ(outcome({1, 1}, {}), Outcome::kWrong) << text;
  }
}

TEST(ForeignJudgeSeenTest, AWrongOneIsTheHooksAndALegalOneIsAnExample) {
  const std::string text = absl::StrCat(kLeaf, "%v = custom %x do=pass\n", kEnd);
  EXPECT_EQ(JudgeShown(text, {}, {{7, 1}}).rule, "hooks");
  const ForeignVerdict legal = JudgeShown(text, {1, 1}, {{1, 1}});
  EXPECT_EQ(legal.taken.elements, 2u);
  EXPECT_TRUE(legal.taken.kinks[static_cast<size_t>(twingrad::reference::Kink::kRelu)]);
  const std::string seen_alone = absl::StrCat(
      kLeaf, "%c = clone %x\n%v = custom %c do=scale by=0\n", kEnd);  // .grad is 0 whatever it saw
  EXPECT_EQ(JudgeShown(seen_alone, {}, {{1, kAsItIs}}).text,
            "%v as it is seen[0] 1, twin 0; statement 2: %v = custom %c do=scale by=0");
}

// Its .grad is gone when the call has ended.
TEST(ForeignJudgeSeenTest, AHookAfterAccumulationIsJudgedByWhatWasThere) {
  const std::string emptied = absl::StrCat(kLeaf, "accumulate_hook %x do=zero_grad\n%y = relu %x\n",
                                           "%s = sum %y\nbackward %s\n");
  EXPECT_EQ(JudgeShown(emptied, {}, {{1, kAsItIs}}).outcome, Outcome::kConvention);
  EXPECT_EQ(JudgeShown(emptied, {}, {{7, kAsItIs}}).outcome, Outcome::kWrong);
  EXPECT_EQ(JudgeShown(emptied, {}, {{kAsItIs, 7}}).outcome, Outcome::kWrong);
  const std::string added = absl::StrCat(kLeaf, "accumulate_hook %x do=record\n%y = relu %x\n",
                                         "%s = sum %y\nbackward %s retain_graph=1\nbackward %s\n");
  EXPECT_EQ(JudgeShown(added, {2, 2}, {{2, kAsItIs}}).outcome, Outcome::kWrong);  // 0 before
  EXPECT_EQ(JudgeShown(added, {}, {{7, kAsItIs}}).outcome, Outcome::kWrong);
}

// What an adapter does not show says nothing of the slope that its engine took.
TEST(ForeignJudgeSeenTest, HooksThatAreNotShownAreNotHeldAgainstValues) {
  const Program program = Parsed(absl::StrCat(kLeaf, "%v = custom %x do=pass\n", kEnd));
  protocol::Hello hello = Everything();
  hello.facts.erase(protocol::Fact::kHooks);
  EXPECT_EQ(Judge(program, hello, Shows({1, 1}, {{}})).outcome, Outcome::kConvention);
  EXPECT_EQ(Judge(program, hello, Shows({7, 1}, {{}})).outcome, Outcome::kWrong);
}

// celu by 2 bends at 0: its second derivative is 0 on one side and 1/2 on the other.
TEST(ForeignJudgeSeenTest, SecondDerivativesThatAreSeenAreThoseOfAPiece) {
  const std::string celu =
      "%x = leaf type=f64[] data=0 grad=1\n%v = custom %x do=pass\n%y = celu %v by=2\n"
      "%g = grad %y inputs=%v create_graph=1\nbackward %g\n";
  EXPECT_EQ(JudgeShown(celu, {0}, {{0}}).outcome, Outcome::kConvention);
  EXPECT_EQ(JudgeShown(celu, {0}, {{7}}).outcome, Outcome::kWrong);
  EXPECT_EQ(JudgeShown(celu, {0.5}, {{7}}).outcome, Outcome::kWrong);
}

TEST(ForeignJudgeSeenTest, EachResultOfACustomFunctionHasItsOwnAnswers) {
  const std::string two =
      "%x = leaf type=f64[] data=0 grad=1\n%z = leaf type=f64[] data=2 grad=1\n"
      "%v,%w = custom %x %z do=pass\n%a = relu %v\n%b = relu %w\n%y = add %a %b\nbackward %y\n";
  EXPECT_EQ(JudgeShown(two, {1}, {{1}, {1}}).outcome, Outcome::kConvention);
  EXPECT_EQ(JudgeShown(two, {1}, {{1}, {7}}).outcome, Outcome::kWrong);
  EXPECT_EQ(JudgeShown(two, {}, {{}, {0}}).outcome, Outcome::kWrong);
  // Nothing comes of one that is not differentiable.
  const std::string marked =
      absl::StrCat(kLeaf, "%c,%v = custom %x %x do=pass non_differentiable=0\n", kEnd);
  EXPECT_EQ(JudgeShown(marked, {1, 1}, {{}, {1, 1}}).outcome, Outcome::kConvention);
  EXPECT_EQ(JudgeShown(marked, {}, {{}, {7, 1}}).outcome, Outcome::kWrong);
}

// Of what comes behind a hook that changes it, and of nested calls, no legal answers are known:
// what a kink can reach is not judged, anything else is.
TEST(ForeignJudgeSeenTest, WhereNoAnswersAreKnownOnlyWhatAKinkReachesIsLeft) {
  const char* changed =
      "%x = leaf type=f64[] data=0 grad=1\n%v = clone %x\nhook %v do=scale by=2\nhook %v "
      "do=record\n"
      "%y = relu %v\nbackward %y\n";
  EXPECT_EQ(JudgeShown(changed, {}, {{}, {7}}).outcome, Outcome::kNotJudged);
  const char* nested =
      "%x = leaf type=f64[] data=0 grad=1\n%r = relu %x\nhook %x do=record\n"
      "%v = leaf type=f64[] data=3 grad=1\nhook %v do=backward target=%r\n%y = mul %v %v\n"
      "backward %y\n";
  EXPECT_EQ(JudgeShown(nested, {}, {{7}}).outcome, Outcome::kNotJudged);
  const std::string smooth =
      absl::StrCat("%u = leaf type=f64[] data=0 grad=1\n%k = relu %u\nbackward %k\n",
                   "%x = leaf type=f64[] data=3 grad=1\n%v = clone %x\nhook %v do=scale by=2\n"
                   "hook %v do=record\n%y = mul %v %v\nbackward %y\n");
  EXPECT_EQ(JudgeShown(smooth, {}, {{}, {7}}).outcome, Outcome::kWrong);
}

// Whether a second derivative of 0 is there at all is the engine's choice, and so is whether hooks
// on its way run.
TEST(ForeignJudgeSeenTest, AHookMaySeeAZeroOrNotRunAmongNodesOfCreateGraph) {
  const Program linear = Parsed(
      "%x = leaf type=f64[] data=3 grad=1\n%z = leaf type=f64[] data=2 grad=1\n"
      "%v = custom %z do=pass\n%a = mul %x %x\n%y = add %a %v\n"
      "%g = grad %y inputs=%x create_graph=1\nbackward %g\n");
  const auto sees = [&](double element, int times, bool undefined_too = false) {
    return Judge(linear, Everything(), [=](Observation& observed) {
      HookRecord record;
      record.statement = 2;
      record.gradient_defined = true;
      record.gradient = {twingrad::DType::kF64, {}, {std::bit_cast<uint64_t>(element)}};
      for (int i = 0; i < times; ++i) observed.calls.back().hooks.push_back(record);
      record.gradient_defined = false;
      if (undefined_too) observed.calls.back().hooks.push_back(record);
    });
  };
  EXPECT_EQ(sees(0, 0).outcome, Outcome::kAgree);
  const ForeignVerdict zero = sees(0, 1);
  EXPECT_EQ(zero.outcome, Outcome::kConvention) << zero.text;
  EXPECT_TRUE(zero.taken.absent);
  EXPECT_EQ(sees(0, 1, /*undefined_too=*/true).outcome, Outcome::kConvention);
  EXPECT_EQ(sees(7, 1).rule, "hooks");
  const Program called_back = Parsed(
      "%x = leaf type=f64[] data=3 grad=1\n%z = leaf type=f64[] data=2 grad=1\n%v = clone %z\n"
      "hook %v do=callback\n%a = mul %x %x\n%y = add %a %v\n"
      "%g = grad %y inputs=%x create_graph=1\nbackward %g\n");
  const auto is_called_back = [&](bool hook_too) {
    return Judge(called_back, Everything(), [=](Observation& observed) {
      HookRecord record;
      record.statement = 3;
      observed.calls.back().hooks.push_back(record);
      record.gradient_defined = true;
      record.gradient = {twingrad::DType::kF64, {}, {0}};
      if (hook_too) observed.calls.back().hooks.push_back(record);
    });
  };
  EXPECT_EQ(is_called_back(false).rule, "hooks");
  EXPECT_EQ(is_called_back(true).outcome, Outcome::kConvention);
  // A hook that runs in both, and sees a zero or nothing.
  const Program hooked = Parsed(
      "%x = leaf type=f64[] data=0 grad=1\n%v = clone %x\nhook %v do=record\n%a = mul %v %v\n"
      "%b = mul %a %v\n%g = grad %b inputs=%v create_graph=1\nbackward %g\n");
  const auto undefined = [](Observation& observed) {
    observed.calls.back().hooks.at(0).gradient_defined = false;
  };
  EXPECT_EQ(Judge(hooked, Everything(), undefined).outcome, Outcome::kConvention);
  const Program once = Parsed(
      "%x = leaf type=f64[] data=3 grad=1\n%v = custom %x do=pass\n%y = mul %v %v\nbackward %y\n");
  const ForeignVerdict first = Judge(once, Everything(), [](Observation& observed) {
    std::vector<HookRecord>& hooks = observed.calls.back().hooks;
    hooks.push_back(hooks.front());
    hooks.back().gradient.bits = {0};
  });
  EXPECT_EQ(first.rule, "hooks");
}

// So is whether a gradient that no value changes has a history, of zeros then: nodes of it in a
// graph are for the recount to judge.
TEST(ForeignJudgeSeenTest, AGradientThatIsConstantMayHaveAHistory) {
  const Program constant = Parsed(
      "%x = leaf type=f64[] data=3 grad=1\n%y = neg %x\n%g = grad %y inputs=%x create_graph=1\n"
      "%s = add %g %x\nbackward %s\n");
  const auto with_history = [](int32_t count) {
    return [count](Observation& observed) {
      auto& call = observed.calls.back();
      ASSERT_EQ(call.nodes.size(), 2u);  // add, and the accumulator
      call.nodes.push_back({{twingrad::program::NodeRole::kBackward, 2, 0}, 1, {{1, 0}}});
      call.nodes[0].next_edges[0] = {2, 0};
      call.dependencies = {-1, 2, count};
      call.executed = {0, 2, 1};
    };
  };
  EXPECT_EQ(Judge(constant, Everything(), AsItIs).outcome, Outcome::kAgree);
  const ForeignVerdict zeros = Judge(constant, Everything(), with_history(1));
  EXPECT_EQ(zeros.outcome, Outcome::kAgree) << zeros.text;
  EXPECT_EQ(Judge(constant, Everything(), with_history(2)).rule, "recount");
}

}  // namespace
}  // namespace twingrad::conformance
