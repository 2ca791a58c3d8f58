// What a hello's claims leave of random Programs, and the doctor's round over engines that the
// tests make up.

#include "proptests/conformance/doctor.h"

#include <initializer_list>
#include <string>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "autograd/base/dtype.h"
#include "autograd/program/signature.h"
#include "gtest/gtest.h"
#include "proptests/conformance/facts.h"

namespace twingrad::conformance {
namespace {

using generators::Feature;
using generators::GeneratorOptions;
using protocol::Hello;
using twingrad::program::Category;
using twingrad::program::Opcode;
using twingrad::program::Program;
using twingrad::program::Signatures;

Hello HelloWith(std::initializer_list<Opcode> ops) {
  Hello hello;
  hello.ops = ops;
  return hello;
}

Hello AllOps() {
  Hello hello;
  for (const auto& signature : Signatures()) hello.ops.insert(signature.op);
  return hello;
}

// Enough for rounds that need not be complete, and quick.
Hello Few() {
  return HelloWith(
      {Opcode::kLeaf, Opcode::kMul, Opcode::kSort, Opcode::kArgsort, Opcode::kBackward});
}

// Programs of these ops alone, without grad.
Round RoundOf(const Hello& hello, const TryProgram& attempt) {
  GeneratorOptions options;
  options.ops.reset();
  for (Opcode op : hello.ops) options.ops.set(static_cast<size_t>(op));
  options.grad = false;
  return ExamineOps(hello, options, attempt);
}

Trial Agrees(const Program&) { return {}; }

TEST(KeepClaimedTest, OpsAndCallsAreThoseOfTheHello) {
  GeneratorOptions options;
  KeepClaimed(HelloWith({Opcode::kLeaf, Opcode::kMul, Opcode::kBackward}), &options);
  EXPECT_TRUE(options.Has(Opcode::kMul));
  EXPECT_FALSE(options.Has(Opcode::kAdd));
  EXPECT_TRUE(options.backward);
  EXPECT_FALSE(options.grad);
}

TEST(KeepClaimedTest, AnOpThatWasExcludedStaysOut) {
  GeneratorOptions options;
  options.ops.reset(static_cast<size_t>(Opcode::kMul));
  KeepClaimed(HelloWith({Opcode::kLeaf, Opcode::kMul}), &options);
  EXPECT_FALSE(options.Has(Opcode::kMul));
}

TEST(KeepClaimedTest, NumbersNeedAllElementTypesButThoseOfStorage) {
  GeneratorOptions options;
  Hello hello = HelloWith({Opcode::kLeaf});
  hello.dtypes = {DType::kF32, DType::kF64, DType::kI64, DType::kBool, DType::kF16};
  KeepClaimed(hello, &options);
  EXPECT_TRUE(options.Has(Feature::kNumbers));
  EXPECT_TRUE(options.Has(DType::kF16));
  EXPECT_FALSE(options.Has(DType::kBF16));
  EXPECT_FALSE(options.Has(DType::kI32));
  hello.dtypes = {DType::kF64};
  KeepClaimed(hello, &options);
  EXPECT_FALSE(options.Has(Feature::kNumbers));
}

TEST(KeepClaimedTest, HooksAreMadeOfAllKindsOrOfNone) {
  GeneratorOptions options;
  Hello hello = HelloWith({Opcode::kHook, Opcode::kPreHook, Opcode::kPostHook,
                           Opcode::kAccumulateHook, Opcode::kRemoveHook});
  KeepClaimed(hello, &options);
  EXPECT_TRUE(options.Has(Opcode::kHook));
  hello.ops.erase(Opcode::kPostHook);
  KeepClaimed(hello, &options);
  EXPECT_FALSE(options.Has(Opcode::kHook));
}

TEST(KeepClaimedTest, RetainGradAloneKeepsItsFeature) {
  GeneratorOptions options;
  KeepClaimed(HelloWith({Opcode::kRetainGrad}), &options);
  EXPECT_TRUE(options.Has(Feature::kHook));
  KeepClaimed(HelloWith({Opcode::kLeaf}), &options);
  EXPECT_FALSE(options.Has(Feature::kHook));
}

TEST(KeepClaimedTest, WithoutDevicesNothingIsPlaced) {
  GeneratorOptions options;
  Hello hello = HelloWith({Opcode::kLeaf});
  hello.devices = 2;
  KeepClaimed(hello, &options);
  EXPECT_EQ(options.devices, 2);
  EXPECT_TRUE(options.Has(Feature::kDevices));
  hello.devices = 0;
  KeepClaimed(hello, &options);
  EXPECT_FALSE(options.Has(Feature::kDevices));
}

TEST(KeepClaimedTest, SectionsAreMadeWhereTheyAreClaimed) {
  GeneratorOptions options;
  Hello hello = HelloWith({Opcode::kLeaf, Opcode::kBegin, Opcode::kEnd});
  hello.sections = true;
  KeepClaimed(hello, &options);
  EXPECT_TRUE(options.Has(Feature::kThreads));
  hello.sections = false;
  KeepClaimed(hello, &options);
  EXPECT_FALSE(options.Has(Feature::kThreads));
}

TEST(DoctorTest, EachClaimedOpHasALine) {
  const Round round = ExamineOps(AllOps(), {}, Agrees);
  EXPECT_TRUE(round.healthy) << round.text;
  for (const auto& signature : Signatures()) {
    const bool never =
        signature.category == Category::kStream || signature.category == Category::kExpect;
    EXPECT_TRUE(absl::StrContains(
        round.text, absl::StrCat("op ", signature.name, never ? ": not examined" : ": agree ")))
        << signature.name << "\n"
        << round.text;
  }
}

TEST(DoctorTest, WhatIsNotClaimedIsNotTried) {
  Hello hello = Few();
  hello.ops.erase(Opcode::kSort);
  const Round round = RoundOf(hello, [](const Program& program) {
    EXPECT_FALSE(Holds(program, Opcode::kSort) || Holds(program, Opcode::kGrad));
    return Trial();
  });
  EXPECT_FALSE(absl::StrContains(round.text, "op sort")) << round.text;
  EXPECT_TRUE(absl::StrContains(round.text, "op argsort: agree")) << round.text;
}

// An engine that refuses one op, and one that refuses all, are not healthy.
TEST(DoctorTest, AClaimedOpThatIsNeverJudgedIsNotHealthy) {
  const Round one = RoundOf(Few(), [](const Program& program) {
    return Trial{Holds(program, Opcode::kSort) ? Outcome::kRefuse : Outcome::kAgree, false, ""};
  });
  EXPECT_FALSE(one.healthy);
  EXPECT_TRUE(absl::StrContains(one.text, "op sort: refuse ")) << one.text;
  EXPECT_TRUE(absl::StrContains(one.text, "Programs could be judged: claim what")) << one.text;
  EXPECT_TRUE(absl::StrContains(one.text, "op argsort: agree ")) << one.text;
  const Round all = RoundOf(Few(), [](const Program&) {
    return Trial{Outcome::kNotJudged, false, ""};
  });
  EXPECT_FALSE(all.healthy);
  EXPECT_FALSE(absl::StrContains(all.text, "agree")) << all.text;
}

TEST(DoctorTest, AFailureIsShownWithItsProgram) {
  const Round round = RoundOf(Few(), [](const Program& program) {
    if (Holds(program, Opcode::kSort)) return Trial{Outcome::kWrong, true, "twin: upside down\n"};
    return Trial();
  });
  EXPECT_FALSE(round.healthy);
  EXPECT_TRUE(absl::StrContains(round.text, "op sort: wrong\ntwin: upside down\nprogram:\ntwin"))
      << round.text;
  EXPECT_FALSE(round.stopped);
}

TEST(DoctorTest, TheMostFrequentReasonOfARefusalIsSaid) {
  int programs = 0;
  const Round round = RoundOf(Few(), [&programs](const Program&) {
    if (++programs % 2 == 0) return Trial();
    return Trial{Outcome::kRefuse, false,
                 programs % 4 == 1 && programs < 9 ? "refuse: a\nmore\n" : "b"};
  });
  EXPECT_TRUE(absl::StrContains(round.text, " refuse 20 (most often: b)\n")) << round.text;
  EXPECT_FALSE(absl::StrContains(round.text, "more")) << round.text;
}

TEST(DoctorTest, AMissedErrorHasAHintUnlessTheHelloSaysWhichThereAre) {
  Hello hello = Few();
  const auto misses = [](const Program&) {
    return Trial{Outcome::kWrong, true, "errors: x\n  expected freed\n  actual   no error\n"};
  };
  const std::string_view hint = "says in its hello which it has: raises=";
  EXPECT_TRUE(absl::StrContains(RoundOf(hello, misses).text, hint));
  hello.raises.emplace();
  EXPECT_FALSE(absl::StrContains(RoundOf(hello, misses).text, hint));
}

// Each hang takes as long as the time limit: two tell enough.
TEST(DoctorTest, TwoHangsEndTheRound) {
  int hangs = 0;
  const Round round = RoundOf(Few(), [&](const Program&) {
    ++hangs;
    return Trial{Outcome::kHang, true, "hang: no reply after 10 s\n"};
  });
  EXPECT_EQ(hangs, 2);
  EXPECT_TRUE(round.stopped);
  EXPECT_FALSE(round.healthy);
  EXPECT_TRUE(absl::EndsWith(
      round.text, "stopped after 2 hangs: the other ops and the conventions were not examined\n"))
      << round.text;
}

}  // namespace
}  // namespace twingrad::conformance
