#include "autograd/program/region.h"

#include <gtest/gtest.h>

#include <string>

#include "autograd/program/parse.h"

namespace twingrad::program {
namespace {

TEST(Region, EveryKindHasItsWord) {
  EXPECT_EQ(RegionKindName(RegionKind::kNoGrad), "no_grad");
  EXPECT_EQ(RegionKindName(RegionKind::kThread), "thread");
  EXPECT_EQ(RegionKindName(RegionKind::kTry), "try");
  EXPECT_EQ(RegionKindName(RegionKind::kAnomaly), "anomaly");
  EXPECT_EQ(RegionKindName(RegionKind::kSavedTensorHooks), "saved_tensor_hooks");
  for (int kind = 0; kind < kNumRegionKinds; ++kind) {
    const std::string_view name = RegionKindName(static_cast<RegionKind>(kind));
    const Statement begin{Opcode::kBegin, {}, {}, {{Key::kKind, std::string(name)}}};
    EXPECT_EQ(RegionKindOf(begin), static_cast<RegionKind>(kind));
    EXPECT_TRUE(Begins(begin, static_cast<RegionKind>(kind)));
  }
}

TEST(Region, KnowsThreadSections) {
  EXPECT_TRUE(HasSections(*Parse("twingrad 1\nbegin kind=thread\n%x = leaf type=f64[]\nend\n")));
  EXPECT_FALSE(HasSections(*Parse("twingrad 1\nbegin kind=try\n%x = leaf type=f64[]\nend\n")));
}

TEST(Region, EndsAtItsOwnEnd) {
  const Program program =
      *Parse("twingrad 1\nbegin kind=try\nbegin kind=no_grad\nend\n%x = leaf type=f64[]\nend\n");
  EXPECT_EQ(EndOfRegion(program, 0), 4);
  EXPECT_EQ(EndOfRegion(program, 1), 2);
  EXPECT_FALSE(Begins(program.statements[4], RegionKind::kTry));
}

TEST(Region, WithoutAnEndLastsToTheEndOfTheProgram) {
  Program program;
  program.statements = {{Opcode::kBegin, {}, {}, {{Key::kKind, std::string("try")}}},
                        {Opcode::kExpect, {}, {}, {}}};
  EXPECT_EQ(EndOfRegion(program, 0), 2);
}

}  // namespace
}  // namespace twingrad::program
