// Known defects that the twin follows: what an engine that has just this defect shows is explained,
// and what its neighbours show is not.

#include "proptests/conformance/expectation.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "proptests/conformance/foreign_judge.h"
#include "proptests/conformance/testing_engines.h"
#include "proptests/conformance/testing_judge.h"

namespace twingrad::conformance {
namespace {

using protocol::Hello;
using twingrad::ErrorKind;
using twingrad::program::Observation;
using twingrad::program::Program;
using twingrad::reference::Defects;

Hello OfPytorch() {
  Hello hello = Everything();
  hello.dialect = "pytorch";
  return hello;
}

// An engine with one known defect, on a Program that provokes it.
class Defective {
 public:
  Defective(bool Defects::*defect, const std::string& statements) : program_(Parsed(statements)) {
    defects_.*defect = true;
    sound_ = Expect(program_, hello_, /*balls=*/true);
    followed_ = Follow(program_, sound_, defects_);
  }

  bool IsProvoked() const { return followed_.has_value(); }
  size_t Id(std::string_view name) const {
    return static_cast<size_t>(std::ranges::find(program_.names, name) - program_.names.begin());
  }

  // What is left to say if the engine shows what the twin does with the defect, and then `change`.
  Outcome With(const std::function<void(Observation&)>& change) const {
    Observation shown = followed_->twin.observation;
    change(shown);
    return Left(shown);
  }
  // ... and if it shows what the right one does, changed.
  Outcome RightBut(const std::function<void(Observation&)>& change) const {
    Observation shown = sound_.twin.observation;
    change(shown);
    return Left(shown);
  }

 private:
  // All that is asked here is wrong by the rules.
  Outcome Left(const Observation& shown) const {
    Expectation sound = sound_, followed = *followed_;
    Observation by_rules = shown, by_defect = shown;
    EXPECT_EQ(JudgeForeign(program_, hello_, sound, by_rules, nullptr).outcome, Outcome::kWrong);
    return JudgeForeign(program_, hello_, followed, by_defect, nullptr).outcome;
  }

  const Hello hello_ = OfPytorch();
  const Program program_;
  Defects defects_;
  Expectation sound_;
  std::optional<Expectation> followed_;
};

TEST(KnownDefectTest, CapturesMissHooks) {
  const std::string head = "%a = leaf type=f64[] data=3 grad=1\n%b = mul %a %a\n";
  const std::string hook = "hook %b do=scale by=100\n";
  const std::string call = "%ga,%gb = grad %b inputs=%a,%b\n";
  const Defective engine(&Defects::captures_miss_hooks, head + hook + call);
  ASSERT_TRUE(engine.IsProvoked());
  EXPECT_EQ(engine.With(AsItIs), Outcome::kAgree);
  const size_t ga = engine.Id("ga"), gb = engine.Id("gb");
  // It misses them on the way to other inputs, too.
  EXPECT_EQ(engine.With(Data(ga, 6)), Outcome::kWrong);
  // It scales what is captured twice.
  EXPECT_EQ(engine.RightBut(Data(gb, 10'000)), Outcome::kWrong);
  // The hooks do not run at all.
  EXPECT_EQ(engine.With([](Observation& o) { o.calls.at(0).hooks.clear(); }), Outcome::kWrong);
  // Where nothing below is asked for, hooks and capture are in order.
  EXPECT_FALSE(Defective(&Defects::captures_miss_hooks, head + hook + "%gb = grad %b inputs=%b\n")
                   .IsProvoked());
  EXPECT_FALSE(Defective(&Defects::captures_miss_hooks, head + call).IsProvoked());
}

TEST(KnownDefectTest, ViewWritesLeaveRetainGrad) {
  const std::string head = "%a = leaf type=f64[2] data=1,2 grad=1\n%b = neg %a\nretain_grad %b\n";
  const std::string call = "%s = sum %b\nbackward %s\n";
  const Defective engine(&Defects::view_writes_leave_retain_grad,
                         head + "%v = select %b dim=0 index=0\nneg_ %v\n" + call);
  ASSERT_TRUE(engine.IsProvoked());
  EXPECT_EQ(engine.With(AsItIs), Outcome::kAgree);
  const size_t b = engine.Id("b");
  // The write takes it away; both nodes keep a gradient; the leaf gets that of before the write.
  const auto lost = [b](Observation& o) { o.values[b].grad_defined = false; };
  EXPECT_EQ(engine.With(lost), Outcome::kWrong);
  EXPECT_EQ(engine.With(Grad(b, 0)), Outcome::kWrong);
  EXPECT_EQ(engine.With(Grad(engine.Id("a"), -1)), Outcome::kWrong);
  EXPECT_EQ(engine.RightBut(Grad(engine.Id("a"), -1)), Outcome::kWrong);
  // A write to the base itself moves it.
  EXPECT_FALSE(
      Defective(&Defects::view_writes_leave_retain_grad, head + "neg_ %b\n" + call).IsProvoked());
}

TEST(KnownDefectTest, ViewsWithoutNodeAreLeaves) {
  const std::string head =
      "%x = leaf type=f64[1] data=3 grad=1\n%b = leaf type=f64[1]\n%v = view %b shape=1\n"
      "add_ %b %x\n";
  const Defective writes(&Defects::views_without_node_are_leaves, head + "neg_ %v\nbackward %b\n");
  ASSERT_TRUE(writes.IsProvoked());
  EXPECT_EQ(writes.With(AsItIs), Outcome::kAgree);
  // Another error there; the same where it has a node; it writes, and loses the gradient.
  EXPECT_EQ(writes.With(Fails(ErrorKind::kInvalidArgument, 4, "a view")), Outcome::kWrong);
  EXPECT_EQ(writes.With(Fails(ErrorKind::kLeafInPlace, 5, "a leaf")), Outcome::kWrong);
  EXPECT_EQ(writes.RightBut(Grad(writes.Id("x"), 1)), Outcome::kWrong);
  EXPECT_FALSE(Defective(&Defects::views_without_node_are_leaves, head + "%y = neg %v\nneg_ %v\n")
                   .IsProvoked());
  const Defective retains(&Defects::views_without_node_are_leaves,
                          head + "retain_grad %v\nbackward %v\n");
  ASSERT_TRUE(retains.IsProvoked());
  EXPECT_EQ(retains.With(AsItIs), Outcome::kAgree);
  // It says so; it keeps the gradient of the base.
  EXPECT_EQ(retains.With(Fails(ErrorKind::kNoGraph, 4, "a leaf")), Outcome::kWrong);
  const size_t v = retains.Id("v");
  EXPECT_EQ(retains.RightBut(Grad(v, 2)), Outcome::kWrong);
}

TEST(KnownDefectTest, EmptyViewsLoseHistory) {
  const auto program = [](const char* stop) {
    return absl::StrCat(
        "%x = leaf type=f64[1] data=3 grad=1\n%y = neg %x\n%v = slice %y dim=0 stop=", stop,
        "\nneg_ %v\n%s = sum %v\n%q = mul %s %s\n%g = grad %q inputs=%x create_graph=1\n"
        "backward %g\n");
  };
  const Defective engine(&Defects::empty_views_lose_history, program("0"));
  ASSERT_TRUE(engine.IsProvoked());
  EXPECT_EQ(engine.With(AsItIs), Outcome::kAgree);
  // No gradient at all; the error at another call, or another error; a gradient that is no zero.
  EXPECT_EQ(engine.With(Fails(ErrorKind::kUnusedInput, 6, "unused")), Outcome::kWrong);
  EXPECT_EQ(engine.With(Fails(ErrorKind::kFreed, 7, "freed")), Outcome::kWrong);
  EXPECT_EQ(engine.With(Data(engine.Id("g"), 7)), Outcome::kWrong);
  EXPECT_EQ(engine.RightBut(Data(engine.Id("g"), 7)), Outcome::kWrong);
  // Views of something keep it.
  EXPECT_FALSE(Defective(&Defects::empty_views_lose_history, program("1")).IsProvoked());
}

// Two in one Program are followed together, and those that it does not provoke are not named.
TEST(KnownDefectTest, WhatIsProvokedIsFollowed) {
  const Program program = Parsed(
      "%a = leaf type=f64[2] data=1,2 grad=1\n%b = neg %a\nretain_grad %b\n"
      "%v = select %b dim=0 index=0\nneg_ %v\n%s = sum %b\nhook %s do=scale by=2\n"
      "%g,%h = grad %s inputs=%a,%s\n");
  Defects all;
  for (const auto& row : twingrad::reference::kDefects) all.*row.follows = true;
  const auto followed = Follow(program, Expect(program, OfPytorch()), all);
  ASSERT_TRUE(followed.has_value());
  EXPECT_EQ(followed->rules.defects,
            (Defects{.captures_miss_hooks = true, .view_writes_leave_retain_grad = true}));
  EXPECT_FALSE(Follow(program, Expect(program, OfPytorch()), {}).has_value());
}

// Where a defect changes nothing, the witnesses still contradict the twin and the engine alike.
TEST(KnownDefectTest, ADefectHidesOnlyItsOwnNumbersFromTheWitnesses) {
  const Program program = Parsed(
      "%a = leaf type=f64[] data=3 grad=1\n%b = mul %a %a\nhook %b do=scale by=100\n"
      "%ga,%gb = grad %b inputs=%a,%b\n%x = leaf type=f64[] data=0.5 grad=1\n%y = tanh %x\n"
      "backward %y\n");
  const Hello hello = OfPytorch();
  Expectation followed =
      *Follow(program, Expect(program, hello, /*balls=*/true), {.captures_miss_hooks = true});
  const size_t gb = 3, x = 4;
  EXPECT_TRUE(followed.altered.Holds(gb, false));
  EXPECT_FALSE(followed.altered.Holds(x, true));
  EXPECT_FALSE(followed.dual.values.at(gb).known);
  EXPECT_TRUE(followed.dual.grads.at(x).known);
  Grad(x, 0.54)(followed.twin.observation);
  Observation shown = followed.twin.observation;
  EXPECT_EQ(JudgeForeign(program, hello, followed, shown, nullptr).outcome, Outcome::kWrong);
}

}  // namespace
}  // namespace twingrad::conformance
