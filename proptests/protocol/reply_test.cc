#include "proptests/protocol/reply.h"

#include <bit>
#include <cstdint>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "autograd/program/parse.h"
#include "gtest/gtest.h"

namespace twingrad::protocol {
namespace {

using twingrad::ErrorKind;
using twingrad::program::NodeRole;
using twingrad::program::Program;

constexpr std::string_view kBody =
    "value %x type=f64[2] data=3,4 version=1 requires_grad=1\n"
    "grad %x type=f64[2] data=6,0x1.8p-1\n"
    "value %y type=f64[2] data=nan,-inf requires_grad=1\n"
    "accessor %x of=grad by=clone type=f64[2] data=6,0\n"
    "accessor %y of=value by=numpy error no memory of=its own\n"
    "call 3 keep_graph=1 accumulate=1 roots=0:0 inputs=1:0,_ executed=0,1\n"
    "node statement@1 dependencies=0 needed=1 edges=1:0,_\n"
    "node accumulate_grad@0 dependencies=2 needed=0\n"
    "hook 2 node=0 type=f64[2] data=1,1\n"
    "hook 2\n"
    "call 2 outer=0 keep_graph=1 accumulate=1 roots=0:0\n"
    "node accumulate_grad@0 dependencies=2\n"
    "survived leaf_in_place 1 a leaf\n"
    "error freed 3 a second time\n";

Program TheProgram() {
  return *twingrad::program::Parse(
      "twingrad 1\n%x = leaf type=f64[2] data=3,4 grad=1\n%y = mul %x %x\nhook %y do=record\n"
      "backward %y seeds=%x\n");
}

std::string ErrorIn(std::string_view body) {
  return std::string(ParseReply(TheProgram(), body).status().message());
}

TEST(ReplyTest, ReadsWhatItPrints) {
  const auto reply = ParseReply(TheProgram(), kBody);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(PrintReply(TheProgram(), *reply), kBody);
  EXPECT_EQ(reply->values[0].grad.bits[1], std::bit_cast<uint64_t>(0.75));
  EXPECT_EQ(reply->calls[0].nodes[1].name.role, NodeRole::kAccumulateGrad);
  EXPECT_EQ(reply->calls[0].dependencies[1], 2);
  EXPECT_FALSE(reply->calls[0].needed[1]);
  EXPECT_EQ(reply->calls[0].nodes[0].next_edges[1].node, -1);
  EXPECT_FALSE(reply->calls[0].hooks[1].gradient_defined);
  EXPECT_EQ(reply->calls[0].outer, -1);
  EXPECT_EQ(reply->calls[1].outer, 0);
  EXPECT_EQ(reply->error->error, ErrorKind::kFreed);
  EXPECT_EQ(reply->survived[0].statement, 1);
  EXPECT_EQ(reply->accessors[0].expected, reply->values[0].grad);
  EXPECT_EQ(reply->accessors[0].shown->bits[1], 0u);
  EXPECT_FALSE(reply->accessors[1].shown);
  EXPECT_EQ(reply->accessors[1].error, "no memory of=its own");
}

TEST(ReplyTest, NothingAtAllIsAReply) {
  const auto reply = ParseReply(TheProgram(), "");
  ASSERT_TRUE(reply.ok());
  EXPECT_FALSE(reply->values[0].defined);
}

TEST(ReplyTest, AGradientMayHaveAnyShape) {
  const auto reply = ParseReply(
      TheProgram(), "value %x type=f64[2] data=3,4\ngrad %x type=f32[1,1,1,1,1,1,1,0]\n");
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->values[0].grad.shape.size(), 8u);
}

TEST(ReplyTest, EachBrokenLineIsToldWithItsNumber) {
  const auto expect = [](std::string_view line, std::string_view what) {
    const std::string message = ErrorIn(absl::StrCat("value %x type=f64[1] data=1\n", line, "\n"));
    EXPECT_TRUE(absl::StartsWith(message, "[protocol] reply line 2: ")) << line << ": " << message;
    EXPECT_TRUE(absl::StrContains(message, what)) << line << ": " << message;
  };
  expect("value", "says nothing");
  expect("vlaue %y type=f64[]", "unknown word `vlaue`");
  expect("value %z type=f64[] data=1", "`%z` is no value");
  expect("value %x type=f64[] data=1", "a second value");
  expect("value %y type=f8[] data=1", "allowed are f32 f64 i64 bool f16 bf16 i32");
  expect("value %y type=f64[-1]", "allowed are 0 to ");
  expect("value %y type=f64[1048576,1048576]", "too large");
  expect("value %y type=f64[2] data=1", "another number of elements");
  expect("value %y type=f64[1] data=1,", "another number of elements");
  expect("value %y type=f64[] data=one", "`one` in data=");
  expect("value %y data=1", "type= is missing");
  expect("value %y type=f64[] data=1 size=1", "the token `size=1`");
  expect("value %y type=f64[] type=f64[] data=1", "the token `type=f64[]`");
  expect("accessor %x of=grad by=clone type=f64[1] data=1", "an accessor of %x");
  expect("accessor %x of=value type=f64[1] data=1", "by=");
  expect("accessor %x of=all by=clone type=f64[1] data=1", "of=all");
  expect("accessor %x of=value by=clone", "type= is missing");
  expect("grad %y type=f64[] data=1", "allowed is one, after its value");
  expect("node statement@1", "a node before any call");
  expect("hook 2", "a hook before any call");
  expect("call 4", "allowed are 0 to 3");
  expect("call 3 roots=0", "the edge `0`");
  expect("call 2 outer=0", "allowed are calls that stand before this one");
  expect("call 3 executed=1", "names node 1; allowed are its 0 nodes");
  expect("error broken 3 what", "unknown class of error `broken`");
  expect("error freed 9 what", "allowed are 0 to 3");
  EXPECT_TRUE(absl::StrContains(ErrorIn("call 3\nnode nothing@1\n"), "the node `nothing@1`"));
  EXPECT_TRUE(absl::StrContains(ErrorIn("call 3\nnode statement@1 edges=5:0\n"), "names node 5"));
  EXPECT_TRUE(absl::StrContains(ErrorIn("call 3\nnode statement@1 needed=1\nnode statement@1\n"),
                                "at all or at none"));
  EXPECT_TRUE(absl::StrContains(ErrorIn("value %x type=f64[1] data=1"), "does not end"));
}

}  // namespace
}  // namespace twingrad::protocol
