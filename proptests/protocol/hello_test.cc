#include "proptests/protocol/hello.h"

#include <optional>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "autograd/program/parse.h"
#include "gtest/gtest.h"

namespace twingrad::protocol {
namespace {

using twingrad::ErrorKind;
using twingrad::program::Opcode;

std::string MessageOf(std::string_view line) {
  return std::string(ParseHello(line).status().message());
}

TEST(HelloTest, ReadsWhatItPrints) {
  Hello hello;
  hello.name = "mine";
  hello.version = "0.1";
  hello.dialect = "twingrad";
  hello.devices = 2;
  hello.sections = true;
  hello.ops = {Opcode::kLeaf, Opcode::kMul, Opcode::kBackward};
  hello.single = {Opcode::kMul};
  hello.dtypes = {twingrad::DType::kF64, twingrad::DType::kBool};
  hello.facts = {Fact::kGraph, Fact::kErrors};
  using Raised = std::set<ErrorKind>;
  for (const auto& raises : {std::optional<Raised>(), std::optional(Raised()),
                             std::optional(Raised{ErrorKind::kShape, ErrorKind::kAnomaly})}) {
    hello.raises = raises;
    const auto again = ParseHello(PrintHello(hello));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(*again, hello);
    EXPECT_EQ(again->Raises(ErrorKind::kShape), !raises || !raises->empty());
    EXPECT_EQ(again->Raises(ErrorKind::kFreed), !raises);
  }
}

TEST(HelloTest, TellsWhatIsNotClaimed) {
  const auto hello =
      ParseHello("hello 1 name=a version=1 ops=leaf,mul,cast dtypes=f64,i64 devices=1");
  ASSERT_TRUE(hello.ok()) << hello.status();
  const auto lacks = [&hello](const std::string& lines) {
    const auto program = twingrad::program::Parse("twingrad 1\n" + lines);
    EXPECT_TRUE(program.ok()) << program.status();
    return program.ok() ? NotClaimed(*hello, *program) : "";
  };
  const std::string x = "%x = leaf type=f64[] data=3 device=dev:0\n";
  EXPECT_EQ(lacks(x + "%y = mul %x %x\n%z = cast %y to=i64\n"), "");
  EXPECT_EQ(lacks(x + "%y = add %x %x\n"), "the op add");
  EXPECT_EQ(lacks(x + "backward %x\n"), "the op backward");
  EXPECT_EQ(lacks(x + "%y = cast %x to=f32\n"), "the type f32");
  EXPECT_EQ(lacks("%b = leaf type=bool[] data=1\n"), "the type bool");
  EXPECT_EQ(lacks("%x = leaf type=f64[] device=dev:1\n"), "the device dev:1");
}

TEST(HelloTest, ThreadSectionsAreClaimed) {
  const auto program = twingrad::program::Parse("twingrad 1\nbegin kind=thread\nend\n");
  ASSERT_TRUE(program.ok()) << program.status();
  const std::string line = "hello 1 name=a version=1 ops=leaf,begin,end dtypes=f64";
  EXPECT_EQ(NotClaimed(*ParseHello(line), *program), "thread sections");
  EXPECT_EQ(NotClaimed(*ParseHello(line + " sections=0"), *program), "thread sections");
  EXPECT_EQ(NotClaimed(*ParseHello(line + " sections=1"), *program), "");
  EXPECT_EQ(MessageOf(line + " sections=yes"),
            "[protocol] hello: sections= is `yes`; allowed are 0 and 1; see "
            "proptests/protocol/README.md");
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

TEST(HelloTest, ExpectationsAtTheEndAreSentWhereTheyAreClaimed) {
  const auto program = twingrad::program::Parse(
      "twingrad 1\n%x = leaf type=f64[] data=3\nexpect %x kind=value data=3\n"
      "%y = mul %x %x\nexpect %x kind=value data=3\nexpect %y kind=value data=9\n");
  ASSERT_TRUE(program.ok()) << program.status();
  Hello hello;
  EXPECT_EQ(ToSend(hello, *program).statements.size(), 3u);
  hello.ops.insert(Opcode::kExpect);
  EXPECT_EQ(ToSend(hello, *program), *program);
}

TEST(HelloTest, SaysWhatIsWrongAndWhatIsAllowed) {
  EXPECT_TRUE(absl::StrContains(MessageOf("Hello, world"), "the first line is `Hello, world`"));
  EXPECT_TRUE(absl::StrContains(MessageOf("hello 2"), "version `2`; allowed is 1"));
  EXPECT_TRUE(
      absl::StrContains(MessageOf("hello 1 name=a version=1 ops=leaf"), "dtypes= is missing"));
  EXPECT_TRUE(
      absl::StrContains(MessageOf("hello 1 ops=mull"), "unknown `mull`; allowed are leaf "));
  EXPECT_TRUE(
      absl::StrContains(MessageOf("hello 1 dtypes=f8"), "allowed are f32 f64 i64 bool f16"));
  EXPECT_TRUE(absl::StrContains(MessageOf("hello 1 facts=all"), "allowed are graph order "));
  EXPECT_TRUE(absl::StrContains(MessageOf("hello 1 raises=all"), "allowed are invalid_argument "));
  EXPECT_TRUE(absl::StrContains(MessageOf("hello 1 name=a name=b"), "name= stands twice"));
  EXPECT_TRUE(absl::StrContains(MessageOf("hello 1 name"), "has no `=`"));
  EXPECT_TRUE(absl::StrContains(MessageOf("hello 1 devices=9"), "allowed are 0 to 8"));
  EXPECT_TRUE(
      absl::StrContains(MessageOf("hello 1 dialect=jax"), "pytorch, pytorch1 and twingrad"));
}

}  // namespace
}  // namespace twingrad::protocol
