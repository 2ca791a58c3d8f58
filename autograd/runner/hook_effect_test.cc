#include "autograd/runner/hook_effect.h"

#include <gtest/gtest.h>

#include "autograd/base/error.h"

namespace twingrad::runner {
namespace {

HookEffect Effect(HookAction action, double by = 1) {
  return {action, by, DType::kF64, Device::Cpu()};
}

Tensor Two() { return Tensor::FromData<double>({2}, {3, 4}); }

TEST(HookEffect, KnowsTheWordsOfPrograms) {
  EXPECT_EQ(HookActionOf("scale"), HookAction::kScale);
  EXPECT_EQ(HookActionOf("wrong_dtype"), HookAction::kWrongDType);
  EXPECT_EQ(HookActionOf("backward"), HookAction::kRecord);
  EXPECT_EQ(HookActionOf("pass"), std::nullopt);
}

TEST(HookEffect, ActsOnDefinedGradients) {
  const Tensor g = Two();
  EXPECT_TRUE(Effect(HookAction::kRecord)(g).IsSameAs(g));
  EXPECT_EQ((Effect(HookAction::kScale, 10)(g)).data<double>()[1], 40);
  EXPECT_FALSE(Effect(HookAction::kUndefined)(g).defined());
  EXPECT_NE((Effect(HookAction::kWrongShape)(g)).sizes(), g.sizes());
  EXPECT_EQ((Effect(HookAction::kWrongDType)(g)).dtype(), DType::kF32);
  try {
    Effect(HookAction::kThrow)(g);
    FAIL() << "do=throw did not throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUser);
  }
}

TEST(HookEffect, LeavesUndefinedGradientsUndefined) {
  EXPECT_FALSE(Effect(HookAction::kRecord)(Tensor()).defined());
  EXPECT_FALSE((Effect(HookAction::kScale, 2)(Tensor())).defined());
  // But what does not fit does not fit here either.
  EXPECT_TRUE(Effect(HookAction::kWrongShape)(Tensor()).defined());
}

}  // namespace
}  // namespace twingrad::runner
