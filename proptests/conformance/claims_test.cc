#include "proptests/conformance/claims.h"

#include <initializer_list>

#include "autograd/base/dtype.h"
#include "autograd/program/opcode.h"
#include "gtest/gtest.h"

namespace twingrad::conformance {
namespace {

using generators::Feature;
using generators::GeneratorOptions;
using twingrad::program::Opcode;

protocol::Hello HelloWith(std::initializer_list<Opcode> ops) {
  protocol::Hello hello;
  for (Opcode op : ops) hello.ops.insert(op);
  return hello;
}

TEST(ClaimsTest, OpsAndCallsAreThoseOfTheHello) {
  GeneratorOptions options;
  KeepClaimed(HelloWith({Opcode::kLeaf, Opcode::kMul, Opcode::kBackward}), &options);
  EXPECT_TRUE(options.Has(Opcode::kMul));
  EXPECT_FALSE(options.Has(Opcode::kAdd));
  EXPECT_TRUE(options.backward);
  EXPECT_FALSE(options.grad);
}

TEST(ClaimsTest, AnOpThatWasExcludedStaysOut) {
  GeneratorOptions options;
  options.ops.reset(static_cast<size_t>(Opcode::kMul));
  KeepClaimed(HelloWith({Opcode::kLeaf, Opcode::kMul}), &options);
  EXPECT_FALSE(options.Has(Opcode::kMul));
}

TEST(ClaimsTest, NumbersNeedAllElementTypes) {
  GeneratorOptions options;
  protocol::Hello hello = HelloWith({Opcode::kLeaf});
  hello.dtypes = {DType::kF32, DType::kF64, DType::kI64, DType::kBool};
  KeepClaimed(hello, &options);
  EXPECT_TRUE(options.Has(Feature::kNumbers));
  hello.dtypes = {DType::kF64};
  KeepClaimed(hello, &options);
  EXPECT_FALSE(options.Has(Feature::kNumbers));
}

TEST(ClaimsTest, HooksAreMadeOfAllKindsOrOfNone) {
  GeneratorOptions options;
  protocol::Hello hello = HelloWith({Opcode::kHook, Opcode::kPreHook, Opcode::kPostHook,
                                     Opcode::kAccumulateHook, Opcode::kRemoveHook});
  KeepClaimed(hello, &options);
  EXPECT_TRUE(options.Has(Opcode::kHook));
  hello.ops.erase(Opcode::kPostHook);
  KeepClaimed(hello, &options);
  EXPECT_FALSE(options.Has(Opcode::kHook));
}

TEST(ClaimsTest, RetainGradAloneKeepsItsFeature) {
  GeneratorOptions options;
  KeepClaimed(HelloWith({Opcode::kRetainGrad}), &options);
  EXPECT_TRUE(options.Has(Feature::kHook));
  KeepClaimed(HelloWith({Opcode::kLeaf}), &options);
  EXPECT_FALSE(options.Has(Feature::kHook));
}

TEST(ClaimsTest, WithoutDevicesNothingIsPlaced) {
  GeneratorOptions options;
  protocol::Hello hello = HelloWith({Opcode::kLeaf});
  hello.devices = 2;
  KeepClaimed(hello, &options);
  EXPECT_EQ(options.devices, 2);
  EXPECT_TRUE(options.Has(Feature::kDevices));
  hello.devices = 0;
  KeepClaimed(hello, &options);
  EXPECT_FALSE(options.Has(Feature::kDevices));
}

}  // namespace
}  // namespace twingrad::conformance
