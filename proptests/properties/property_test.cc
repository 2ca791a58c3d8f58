#include "proptests/properties/property.h"

#include "gtest/gtest-spi.h"
#include "gtest/gtest.h"

namespace twingrad::properties {
namespace {

using twingrad::program::Opcode;
using twingrad::program::Program;

TEST(Property, ALawThatHoldsIsSilent) {
  int programs = 0;
  ForAll(50, {}, [&](const Program&) {
    ++programs;
    return std::string();
  });
  EXPECT_EQ(programs, 50);
}

void ForAllWithoutProducts() {
  ForAll(200, {}, [](const Program& program) {
    for (const auto& statement : program.statements) {
      if (statement.op == Opcode::kMul) return std::string("there is a product");
    }
    return std::string();
  });
}

TEST(Property, AFailureIsShrunkAndSaysHowToReplayIt) {
  // A smallest Program with a product: of one leaf, with no element or one.
  EXPECT_FATAL_FAILURE(ForAllWithoutProducts(), "\n%v1 = mul %v0 %v0\n\n");
  EXPECT_FATAL_FAILURE(ForAllWithoutProducts(), "there is a product");
  EXPECT_FATAL_FAILURE(ForAllWithoutProducts(), "RC_PARAMS='seed=");
}

}  // namespace
}  // namespace twingrad::properties
