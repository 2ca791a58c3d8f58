#include "fuzz/campaign/record_file.h"

#include <csignal>
#include <string>

#include <fcntl.h>
#include <sys/resource.h>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "fuzz/campaign/signature.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proptests/workers/files.h"

namespace twingrad::campaign {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class RecordFileTest : public testing::Test {
 protected:
  std::string path() const { return folder_.path() + "/records"; }
  RecordWriter Writer() const {
    return {open(path().c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600), path(), 0};
  }
  static json Record(int number) { return {{"type", "n"}, {"number", number}}; }
  workers::TemporaryFolder folder_ = *workers::TemporaryFolder::Make("record-test");
};

TEST_F(RecordFileTest, ReadsWhatWasWritten) {
  RecordWriter writer = Writer();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(writer.Append(RecordLine(Record(i)), true).ok());
  const absl::StatusOr<Records> read = ReadRecords(path());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->records, (std::vector<json>{Record(0), Record(1), Record(2)}));
  EXPECT_EQ(read->bad_line, 0u);
  EXPECT_FALSE(read->torn);
  EXPECT_EQ(*ReadFirstRecord(path()), Record(0));
  EXPECT_EQ(ReadLastRecord(path()), Record(2));
  EXPECT_TRUE(absl::IsNotFound(ReadRecords(path() + "x").status()));
}

TEST_F(RecordFileTest, EveryCutLeavesAPrefixAndEveryTurnedBitIsSeen) {
  std::string text;
  for (int i = 0; i < 3; ++i) text += RecordLine(Record(i));
  for (size_t size = 0; size <= text.size(); ++size) {
    ASSERT_TRUE(workers::WriteFile(path(), text.substr(0, size)).ok());
    const absl::StatusOr<Records> read = ReadRecords(path());
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->records.size(), size / (text.size() / 3)) << size;
    EXPECT_EQ(read->bad_line, 0u) << size;
    EXPECT_EQ(read->torn, size % (text.size() / 3) != 0) << size;
  }
  for (size_t at = 0; at + 1 < text.size(); ++at) {
    std::string turned = text;
    turned[at] = static_cast<char>(turned[at] ^ 4);
    ASSERT_TRUE(workers::WriteFile(path(), turned).ok());
    EXPECT_EQ(ReadRecords(path())->records.size(), at / (text.size() / 3)) << at;
  }
}

TEST_F(RecordFileTest, AWriteThatFindsNoRoomLeavesTheFileAsItWas) {
  RecordWriter writer = Writer();
  const std::string line = RecordLine(Record(1));
  ASSERT_TRUE(writer.Append(line, true).ok());
  rlimit old = {};
  getrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, SIG_IGN);
  // Room for the beginning of the next, and not for its end.
  rlimit small = old;
  small.rlim_cur = line.size() + line.size() / 2;
  setrlimit(RLIMIT_FSIZE, &small);
  const absl::Status full = writer.Append(line, true);
  setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_THAT(std::string(full.message()), HasSubstr("[campaign] cannot write "));
  EXPECT_THAT(std::string(full.message()), HasSubstr("; make room, and run the shard again: "));
  EXPECT_EQ(*workers::ReadInput(path()), line);
  // With room again the same writer goes on.
  EXPECT_TRUE(writer.Append(line, true).ok());
  EXPECT_EQ(*workers::ReadInput(path()), line + line);
}

TEST(SignatureTest, NamesAndNumbersDoNotMatter) {
  EXPECT_EQ(WithoutNames("twin: .grad of %v12, statement 3: %a_b = exp %v1 data=0x1.8p-3"),
            "twin: .grad of %, statement #: % = exp % data=#-#");
  EXPECT_EQ(WithoutNames("type f64[2]"), "type f64[#]");
  findings::Finding one;
  one.result.oracle = "twin";
  one.result.text = "twin: .grad of %v0\n  expected 1\n";
  one.program = "%v0 = leaf type=f64[] data=0\n%v1 = exp %v0\nbackward %v1\n";
  findings::Finding same = one;
  same.result.text = "twin: .grad of %x7\n  expected 5\n";
  same.program = "%x7 = leaf type=f64[] data=3\n%y = exp %x7\nbackward %y\n";
  EXPECT_EQ(SignatureOf(one), SignatureOf(same));
  findings::Finding other_rule = one;
  other_rule.result.oracle = "dual";
  findings::Finding other_kind = one;
  other_kind.result.text = "twin: result of grad %v0\n";
  findings::Finding other_program = one;
  other_program.program = "%v0 = leaf type=f64[] data=0\n%v1 = sin %v0\nbackward %v1\n";
  EXPECT_NE(SignatureOf(one), SignatureOf(other_rule));
  EXPECT_NE(SignatureOf(one), SignatureOf(other_kind));
  EXPECT_NE(SignatureOf(one), SignatureOf(other_program));
  // Of a crash the worker's last words count too.
  findings::Finding crash = one;
  crash.result.oracle = "crash";
  crash.result.text = "crash while judging program 3\n  it said:  a.cc:7: bad\n";
  findings::Finding elsewhere = crash;
  elsewhere.result.text = "crash while judging program 9\n  it said:  b.cc:7: bad\n";
  EXPECT_NE(SignatureOf(crash), SignatureOf(elsewhere));
}

}  // namespace
}  // namespace twingrad::campaign
