#include "tools/adapters/protocol/hello.h"

#include <string>

#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace twingrad::adapters {
namespace {

using autograd::program::Opcode;

std::string MessageOf(std::string_view line) {
  return std::string(ParseHello(line).status().message());
}

TEST(HelloTest, ReadsWhatItPrints) {
  Hello hello;
  hello.name = "mine";
  hello.version = "0.1";
  hello.dialect = "twingrad";
  hello.devices = 2;
  hello.ops = {Opcode::kLeaf, Opcode::kMul, Opcode::kBackward};
  hello.single = {Opcode::kMul};
  hello.dtypes = {autograd::DType::kF64, autograd::DType::kBool};
  hello.facts = {Fact::kGraph, Fact::kErrors};
  const auto again = ParseHello(PrintHello(hello));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, hello);
}

TEST(HelloTest, FourKeysAreEnoughAndUnknownOnesArePassedOver) {
  const auto hello = ParseHello(
      "hello 1 name=mine version=0.1 ops=leaf,mul dtypes=f64 colour=green threads=4 "
      "issues=https://example.org/issues?q=1");
  ASSERT_TRUE(hello.ok()) << hello.status();
  EXPECT_EQ(hello->dialect, "pytorch");
  EXPECT_EQ(hello->devices, 0);
  EXPECT_TRUE(hello->Has(Opcode::kMul));
  EXPECT_FALSE(hello->Has(Opcode::kAdd));
  EXPECT_FALSE(hello->Has(Fact::kGraph));
}

TEST(HelloTest, SaysWhatIsWrongAndWhatIsAllowed) {
  EXPECT_TRUE(absl::StrContains(MessageOf("Hello, world"), "the first line is `Hello, world`"));
  EXPECT_TRUE(absl::StrContains(MessageOf("hello 2"), "version `2`; allowed is 1"));
  EXPECT_TRUE(
      absl::StrContains(MessageOf("hello 1 name=a version=1 ops=leaf"), "dtypes= is missing"));
  EXPECT_TRUE(
      absl::StrContains(MessageOf("hello 1 ops=mull"), "unknown `mull`; allowed are leaf "));
  EXPECT_TRUE(absl::StrContains(MessageOf("hello 1 dtypes=f16"), "allowed are f32 f64 i64 bool"));
  EXPECT_TRUE(absl::StrContains(MessageOf("hello 1 facts=all"), "allowed are graph order "));
  EXPECT_TRUE(absl::StrContains(MessageOf("hello 1 name=a name=b"), "name= stands twice"));
  EXPECT_TRUE(absl::StrContains(MessageOf("hello 1 name"), "has no `=`"));
  EXPECT_TRUE(absl::StrContains(MessageOf("hello 1 devices=9"), "allowed are 0 to 8"));
  EXPECT_TRUE(
      absl::StrContains(MessageOf("hello 1 dialect=jax"), "pytorch, pytorch1 and twingrad"));
}

}  // namespace
}  // namespace twingrad::adapters
