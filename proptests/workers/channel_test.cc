#include "proptests/workers/channel.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

#include "gtest/gtest.h"

namespace twingrad::workers {
namespace {

using nlohmann::json;

struct Pair {
  Pair() {
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0) std::abort();
    a.emplace(fds[0]);
    b.emplace(fds[1]);
  }
  std::optional<Channel> a;
  std::optional<Channel> b;
};

TEST(ChannelTest, CarriesMessagesInOrder) {
  Pair pair;
  EXPECT_FALSE(pair.b->Receive(false).has_value());
  ASSERT_TRUE(pair.a->Send({{"n", 1}}));
  ASSERT_TRUE(pair.a->Send({{"n", 2}}));
  EXPECT_EQ(pair.b->Receive(false)->value("n", 0), 1);
  EXPECT_EQ(pair.b->Receive(true)->value("n", 0), 2);
  EXPECT_FALSE(pair.b->closed());
}

TEST(ChannelTest, KeepsWhatAPeerSentBeforeItDied) {
  Pair pair;
  ASSERT_TRUE(pair.a->Send({{"n", 7}}));
  pair.a.reset();
  EXPECT_EQ(pair.b->Receive(true)->value("n", 0), 7);
  EXPECT_FALSE(pair.b->Receive(true).has_value());
  EXPECT_TRUE(pair.b->closed());
  EXPECT_FALSE(pair.b->Send({{"n", 8}}));
}

TEST(ChannelTest, DropsAMessageThatEndsEarlyOrIsNoJson) {
  Pair pair;
  const uint32_t length = 3;
  char bytes[7];
  std::memcpy(bytes, &length, 4);
  std::memcpy(bytes + 4, "???", 3);
  ASSERT_EQ(send(pair.a->fd(), bytes, 7, 0), 7);
  ASSERT_TRUE(pair.a->Send({{"n", 1}}));
  ASSERT_EQ(send(pair.a->fd(), bytes, 5, 0), 5);
  pair.a.reset();
  EXPECT_EQ(pair.b->Receive(true)->value("n", 0), 1);
  EXPECT_FALSE(pair.b->Receive(true).has_value());
}

TEST(ChannelTest, CarriesAnyBytesInTexts) {
  Pair pair;
  ASSERT_TRUE(pair.a->Send({{"text", "caf\xe9\n"}}));
  EXPECT_EQ(pair.b->Receive(true)->value("text", ""), "caf\xef\xbf\xbd\n");
}

TEST(ChannelTest, FailuresSurviveTheJourney) {
  Failure failure;
  failure.index = 12;
  failure.seed = 0xffffffffffffffff;
  failure.program = "twingrad 1\n";
  failure.result = {true, "twin", "a\nb\n", "e", "x", {3, 5}, "r\n", "wrong", {{"f.txt", "g"}}};
  const Failure copy = json::parse(json(failure).dump()).get<Failure>();
  EXPECT_EQ(copy.index, failure.index);
  EXPECT_EQ(copy.seed, failure.seed);
  EXPECT_EQ(copy.program, failure.program);
  EXPECT_TRUE(copy.result.failed);
  EXPECT_EQ(copy.result.oracle, "twin");
  EXPECT_EQ(copy.result.text, "a\nb\n");
  EXPECT_EQ(copy.result.expected, "e");
  EXPECT_EQ(copy.result.actual, "x");
  EXPECT_EQ(copy.result.marked, (std::vector<int>{3, 5}));
  EXPECT_EQ(copy.result.reproducer, "r\n");
  EXPECT_EQ(copy.result.outcome, "wrong");
  EXPECT_EQ(copy.result.files, failure.result.files);
}

}  // namespace
}  // namespace twingrad::workers
