#include "proptests/protocol/frame.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace twingrad::protocol {
namespace {

// All frames of a stream that comes in pieces of this size.
std::vector<Frame> FramesOf(std::string_view stream, size_t piece) {
  FrameReader reader;
  std::vector<Frame> frames;
  for (size_t begin = 0; begin < stream.size(); begin += piece) {
    reader.Feed(stream.substr(begin, piece));
    while (true) {
      auto frame = reader.Next();
      EXPECT_TRUE(frame.ok()) << frame.status();
      if (!frame.ok() || !*frame) break;
      frames.push_back(**std::move(frame));
    }
  }
  EXPECT_TRUE(reader.empty());
  return frames;
}

std::string ErrorOf(std::string_view stream) {
  FrameReader reader;
  reader.Feed(stream);
  return std::string(reader.Next().status().message());
}

TEST(FrameTest, CutsAStreamWhereverThePiecesEnd) {
  const std::string stream =
      absl::StrCat("hello 1 name=a\n", PrintOk(7, "two\nlines\n"), PrintOk(8, ""),
                   PrintSkip(9, "no\nsuch op"), PrintFault(10, "broken"));
  for (size_t piece : {size_t{1}, size_t{3}, stream.size()}) {
    const std::vector<Frame> frames = FramesOf(stream, piece);
    ASSERT_EQ(frames.size(), 5u) << piece;
    EXPECT_EQ(frames[0].text, "hello 1 name=a");
    EXPECT_EQ(frames[1].kind, Frame::Kind::kOk);
    EXPECT_EQ(frames[1].id, 7u);
    EXPECT_EQ(frames[1].text, "two\nlines\n");
    EXPECT_EQ(frames[2].text, "");
    EXPECT_EQ(frames[3].kind, Frame::Kind::kSkip);
    EXPECT_EQ(frames[3].text, "no such op");
    EXPECT_EQ(frames[4].kind, Frame::Kind::kError);
    EXPECT_EQ(frames[4].id, 10u);
  }
}

TEST(FrameTest, AnUnfinishedFrameAsksForMore) {
  FrameReader reader;
  reader.Feed("ok 1 10\nhalf");
  const auto frame = reader.Next();
  ASSERT_TRUE(frame.ok());
  EXPECT_FALSE(frame->has_value());
  EXPECT_EQ(reader.Partial(), "4 of the 10 bytes of its body");
  EXPECT_FALSE(reader.empty());
}

TEST(FrameTest, WhatHasComeOfAFrameIsTold) {
  FrameReader reader;
  EXPECT_EQ(reader.Partial(), "");
  reader.Feed("ok 1");
  ASSERT_TRUE(reader.Next().ok());
  EXPECT_EQ(reader.Partial(), "`ok 1` without the end of its line");
  reader.Feed(" 2\n");
  ASSERT_TRUE(reader.Next().ok());
  EXPECT_EQ(reader.Partial(), "0 of the 2 bytes of its body");
  EXPECT_FALSE(reader.empty());
}

TEST(FrameTest, WhatIsNoReplyIsAnErrorThatStays) {
  EXPECT_TRUE(absl::StrContains(ErrorOf("Traceback (most recent call last):\n"),
                                "`Traceback (most recent call last):` is no reply"));
  EXPECT_TRUE(absl::StrContains(ErrorOf("\x7f\x01\n"), "`..` is no reply"));
  EXPECT_TRUE(absl::StrContains(ErrorOf("ok one 3\n"), "lacks the number"));
  EXPECT_TRUE(absl::StrContains(ErrorOf("ok 1 -3\n"), "lacks the size"));
  EXPECT_TRUE(absl::StrContains(ErrorOf("ok 1 99999999999\n"), "0 to 16777216 bytes"));
  EXPECT_TRUE(absl::StrContains(ErrorOf(std::string(kMaxLine + 1, 'x')), "more than 65536 bytes"));
  FrameReader reader;
  reader.Feed("nonsense\nok 1 0\n");
  EXPECT_FALSE(reader.Next().ok());
  EXPECT_FALSE(reader.Next().ok());
}

}  // namespace
}  // namespace twingrad::protocol
