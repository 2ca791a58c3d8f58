// Random Programs are valid and hold every statement and attribute. They show that text and
// Programs are two spellings of one thing: Parse(Print(p)) == p, and Print(Parse(t)) == t for
// canonical t.

#include "autograd/program/random_program.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "autograd/program/analyze.h"
#include "autograd/program/parse.h"
#include "autograd/program/print.h"
#include "autograd/program/signature.h"

namespace twingrad::program {
namespace {

TEST(RandomProgram, HoldsEveryStatementAndAttribute) {
  std::vector<int> statements(kNumOpcodes), keys(kNumKeys);
  for (uint64_t seed = 0; seed < 8000; ++seed) {
    for (const Statement& statement : RandomProgram(seed, 25).statements) {
      ++statements[static_cast<int>(statement.op)];
      for (const Attribute& attribute : statement.attributes) {
        ++keys[static_cast<int>(attribute.key)];
      }
    }
  }
  for (int i = 0; i < kNumOpcodes; ++i) {
    EXPECT_GT(statements[i], 5) << SignatureOf(static_cast<Opcode>(i)).name;
  }
  for (int i = 0; i < kNumKeys; ++i) EXPECT_GT(keys[i], 5) << KeyName(static_cast<Key>(i));
}

TEST(RandomProgram, IsValidAndFixedByItsArguments) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Program program = RandomProgram(seed, 20);
    EXPECT_TRUE(Validate(program).ok()) << Validate(program);
    EXPECT_GE(program.statements.size(), 20u);
    EXPECT_EQ(program, RandomProgram(seed, 20));
    EXPECT_FALSE(program == RandomProgram(seed + 1, 20));
  }
}

RC_GTEST_PROP(RoundTrip, AnyProgram, (uint64_t seed)) {
  const int statements = *rc::gen::inRange(0, 40);
  const Program program = RandomProgram(seed, statements);
  const std::string text = Print(program);
  RC_LOG() << text;
  const absl::StatusOr<Program> parsed = Parse(text);
  if (!parsed.ok()) RC_FAIL(std::string(parsed.status().message()));
  RC_ASSERT(*parsed == program);
  RC_ASSERT(Print(*parsed) == text);
  RC_ASSERT(Hash(*parsed) == Hash(program));
  RC_ASSERT(Analyze(program).ok());
}

// A text with one byte changed is refused, or parsed to a Program that round-trips.
RC_GTEST_PROP(RoundTrip, AnyDamagedText, (uint64_t seed, char byte)) {
  std::string text = Print(RandomProgram(seed, 10));
  const size_t at = *rc::gen::inRange<size_t>(0, text.size());
  text[at] = byte;
  const absl::StatusOr<Program> parsed = Parse(text);
  if (!parsed.ok()) {
    RC_ASSERT(parsed.status().message().rfind("[program] ", 0) == 0u);
    return;
  }
  const std::string canonical = Print(*parsed);
  RC_LOG() << canonical;
  const absl::StatusOr<Program> again = Parse(canonical);
  RC_ASSERT(again.ok());
  RC_ASSERT(*again == *parsed);
}

}  // namespace
}  // namespace twingrad::program
