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
  // The smallest Program with a product.
  EXPECT_FATAL_FAILURE(ForAllWithoutProducts(),
                       "%v0 = leaf type=f64[] data=0\n%v1 = mul %v0 %v0\n");
  EXPECT_FATAL_FAILURE(ForAllWithoutProducts(), "there is a product");
  EXPECT_FATAL_FAILURE(ForAllWithoutProducts(), "RC_PARAMS='seed=");
}

}  // namespace
}  // namespace twingrad::properties
