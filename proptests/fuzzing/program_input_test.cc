#include "proptests/fuzzing/program_input.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/program/print.h"
#include "gtest/gtest.h"

namespace twingrad::fuzzing {
namespace {

absl::Span<const uint8_t> SpanOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

TEST(ProgramInputTest, ATextIsItself) {
  const std::string text =
      "twingrad 1\n%x = leaf type=f64[2] data=3,4 grad=1\n%s = sum %x\nbackward %s\n";
  const std::optional<program::Program> program = ProgramOf(SpanOf(text));
  ASSERT_TRUE(program.has_value());
  EXPECT_EQ(program::Print(*program), text);
  EXPECT_TRUE(IsText(SpanOf(text)));
}

TEST(ProgramInputTest, ATextThatIsNoProgramOrALargeOneIsNone) {
  EXPECT_FALSE(ProgramOf(SpanOf("twingrad 1\n%x = lead\n")).has_value());
  EXPECT_FALSE(ProgramOf(SpanOf("twingrad 1\n%x = leaf type=f64[4097] seed=1\n")).has_value());
  std::string many = "twingrad 1\n";
  for (int i = 0; i < 65; ++i) many += "%x" + std::to_string(i) + " = leaf type=f64[] data=1\n";
  EXPECT_FALSE(ProgramOf(SpanOf(many)).has_value());
}

TEST(ProgramInputTest, BytesAlwaysMakeTheSameProgram) {
  std::vector<uint8_t> bytes;
  for (int i = 0; i < 300; ++i) {
    const std::optional<program::Program> program = ProgramOf(bytes);
    ASSERT_TRUE(program.has_value());
    EXPECT_EQ(*program, *ProgramOf(bytes));
    bytes.push_back(static_cast<uint8_t>(i * 61 + 7));
  }
}

}  // namespace
}  // namespace twingrad::fuzzing
