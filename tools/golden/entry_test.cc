#include "tools/golden/entry.h"

#include <bit>
#include <cstdint>

#include "autograd/program/parse.h"
#include "gmock/gmock.h"

namespace twingrad::golden {
namespace {

using testing::HasSubstr;

constexpr std::string_view kText =
    "# id: calls-0001\n# origin: here\n# reason: because\ntwingrad 1\n"
    "%x = leaf type=f64[] data=3\nexpect %x kind=value data=3\n";

std::string ErrorOf(std::string_view path, const std::string& text) {
  return std::string(ParseEntry(path, text).status().message());
}

std::string Replaced(std::string_view from, std::string_view to) {
  std::string text(kText);
  return text.replace(text.find(from), from.size(), to);
}

TEST(EntryTest, ReadsHeaderAndProgram) {
  const absl::StatusOr<Entry> entry = ParseEntry("programs/calls/calls-0001.twin", kText);
  ASSERT_TRUE(entry.ok()) << entry.status();
  EXPECT_EQ(entry->id, "calls-0001");
  EXPECT_EQ(entry->origin, "here");
  EXPECT_EQ(entry->reason, "because");
  EXPECT_EQ(entry->program.statements.size(), 2u);
}

TEST(EntryTest, SaysWhatIsAmiss) {
  EXPECT_EQ(ErrorOf("a/calls-0002.twin", std::string(kText)),
            "[golden] a/calls-0002.twin: its id is calls-0001; name the file calls-0001.twin");
  EXPECT_EQ(
      ErrorOf("calls-0001.twin", Replaced("# origin: here", "# origin: ")),
      "[golden] calls-0001.twin: line 2 must be `# origin: ...`, not empty and without ` | `");
  EXPECT_EQ(ErrorOf("calls-0001.twin", Replaced("expect %x kind=value data=3\n", "")),
            "[golden] calls-0001.twin: it expects nothing; add an expect statement");
  EXPECT_THAT(ErrorOf("calls-0001.twin", Replaced("leaf", "laef")),
              HasSubstr("calls-0001.twin: [program] 5:"));
}

TEST(EntryTest, TheIndexNamesEachEntryOnce) {
  const std::vector<Entry> entries = {*ParseEntry("calls-0001.twin", kText)};
  const std::string line = "calls-0001 | here | because\n";
  EXPECT_TRUE(CheckIndex("# a comment\n" + line, entries).ok());
  EXPECT_TRUE(CheckIndex(line + "calls-0000 | removed | wrong\n", entries).ok());
  EXPECT_FALSE(CheckIndex("", entries).ok());
  EXPECT_FALSE(CheckIndex(line + line, entries).ok());
  EXPECT_FALSE(CheckIndex("calls-0001 | here | but\n", entries).ok());
  EXPECT_FALSE(CheckIndex(line + "calls-0002 | here | because\n", entries).ok());
  EXPECT_FALSE(CheckIndex(line + "nonsense\n", entries).ok());
}

TEST(ComplaintTest, NamesTheEntryTheRunnerAndWhatIsMissed) {
  Entry entry;
  entry.path = "golden/programs/a/a-0001.twin";
  entry.program =
      *program::Parse("twingrad 1\n%x = leaf type=f64[] data=3\nexpect %x kind=value data=3\n");
  program::Observation observation;
  observation.values.resize(1);
  observation.values[0].defined = true;
  observation.values[0].data.bits = {std::bit_cast<uint64_t>(3.0)};
  EXPECT_EQ(Complaint(entry, observation, "me"), "");

  observation.values[0].data.bits = {std::bit_cast<uint64_t>(4.0)};
  const std::string text = Complaint(entry, observation, "me");
  EXPECT_THAT(text, testing::StartsWith(
                        "golden/programs/a/a-0001.twin, run by me:\n  statement 1: expect %x"));
  EXPECT_THAT(
      text,
      HasSubstr("replay: tools/bazel run //tools/oracle -- run golden/programs/a/a-0001.twin\n"));
}

}  // namespace
}  // namespace twingrad::golden
