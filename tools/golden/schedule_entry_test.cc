// The entries of golden/schedules, each replayed strictly; and that what is amiss would be told.
#include "tools/golden/schedule_entry.h"

#include "gmock/gmock.h"
#include "tools/golden/entry_text.h"

namespace twingrad::golden {
namespace {

using testing::HasSubstr;

constexpr char kFolder[] = "golden/schedules";
constexpr std::string_view kText =
    "# id: two\n# reason: because\n# shows: root %b %a %x.grad; grad %x\ntwingrad 1\n"
    "%x = leaf type=f64[] data=3 grad=1\n%a = to %x device=dev:0\n%b = to %x device=dev:1\n"
    "backward %a %b\n";

std::string Replaced(std::string_view from, std::string_view to) {
  std::string text(kText);
  return text.replace(text.find(from), from.size(), to);
}

ScheduleEntry Two() { return *ParseScheduleEntry("a/two.twin", kText); }

std::string ErrorOf(const absl::Status& status) { return std::string(status.message()); }

TEST(GoldenSchedulesTest, EachReplaysDecisionByDecisionAndShowsWhatItMust) {
  const auto entries = LoadScheduleEntries(kFolder);
  ASSERT_TRUE(entries.ok()) << entries.status();
  EXPECT_GE(entries->size(), 5u);
  for (const ScheduleEntry& entry : *entries) {
    const std::string text = ReadText(SchedulePath(entry));
    ASSERT_NE(text, "") << SchedulePath(entry) << " is missing; record it: "
                        << "tools/bazel run //tools/golden:record_schedules";
    const auto schedule = interleave::ParseSchedule(text);
    ASSERT_TRUE(schedule.ok()) << entry.path << ": " << schedule.status();
    EXPECT_EQ(schedule->detector, "") << entry.path;
    for (const interleave::Decision& decision : schedule->decisions) {
      EXPECT_EQ(decision.site, 0u) << entry.path << ": a site moves with the sources' lines";
    }
    const absl::Status replayed = ReplaySchedule(entry, *schedule);
    EXPECT_TRUE(replayed.ok()) << replayed.message();
  }
}

TEST(ScheduleEntryTest, ReadsHeaderAndProgram) {
  const ScheduleEntry entry = Two();
  EXPECT_EQ(entry.id, "two");
  EXPECT_EQ(entry.reason, "because");
  EXPECT_EQ(entry.shows, "root %b %a %x.grad; grad %x");
  EXPECT_EQ(entry.program.statements.size(), 4u);
  EXPECT_EQ(SchedulePath(entry), "a/two.schedule");
}

TEST(ScheduleEntryTest, SaysWhatIsAmiss) {
  EXPECT_EQ(ErrorOf(ParseScheduleEntry("a/three.twin", kText).status()),
            "[golden] a/three.twin: its id is two; name the file two.twin");
  EXPECT_EQ(
      ErrorOf(ParseScheduleEntry("two.twin", Replaced("# reason: because", "# reason: ")).status()),
      "[golden] two.twin: line 2 must be `# reason: ...`, not empty");
  EXPECT_FALSE(ParseScheduleEntry("two.twin", Replaced("leaf", "laef")).ok());
  EXPECT_FALSE(LoadScheduleEntries("no/such/folder").ok());
}

TEST(ScheduleEntryTest, RecordsWhatShowsWhatTheEntrySays) {
  for (const char* shows : {"root %b %a %x.grad; grad %x", "root %a %b %x.grad; grad %x"}) {
    ScheduleEntry entry = Two();
    entry.shows = shows;
    const auto schedule = RecordSchedule(entry);
    ASSERT_TRUE(schedule.ok()) << schedule.status();
    EXPECT_EQ(ErrorOf(ReplaySchedule(entry, *schedule)), "");
    EXPECT_EQ(interleave::PrintSchedule(*RecordSchedule(entry)),
              interleave::PrintSchedule(*schedule));
  }
  ScheduleEntry impossible = Two();
  impossible.shows = "root %x.grad %a %b; grad %x";
  EXPECT_THAT(ErrorOf(RecordSchedule(impossible, 100).status()),
              HasSubstr("none of 100 schedules shows `root %x.grad %a %b; grad %x`"));
}

TEST(ScheduleEntryTest, AScheduleThatPartsFromTheRunFails) {
  const ScheduleEntry entry = Two();
  const interleave::ScheduleFile schedule = *RecordSchedule(entry);
  ASSERT_GT(schedule.decisions.size(), 10u);
  constexpr std::string_view kCommand = "tools/bazel run //tools/golden:record_schedules";

  interleave::ScheduleFile other = schedule;
  ++other.decisions[5].alternatives;
  EXPECT_THAT(ErrorOf(ReplaySchedule(entry, other)), HasSubstr("diverged at decision 5"));
  EXPECT_THAT(ErrorOf(ReplaySchedule(entry, other)), HasSubstr(kCommand));
  other = schedule;
  other.decisions.pop_back();
  EXPECT_THAT(ErrorOf(ReplaySchedule(entry, other)), HasSubstr("the recorded schedule ends after"));
  other = schedule;
  other.decisions.push_back(other.decisions.back());
  EXPECT_THAT(ErrorOf(ReplaySchedule(entry, other)), HasSubstr("ended before its schedule did"));
  other = schedule;
  ++other.program_hash;
  EXPECT_THAT(ErrorOf(ReplaySchedule(entry, other)), HasSubstr("that of another Program"));
  ScheduleEntry another = entry;
  another.shows = "root %a %b %x.grad; grad %x";
  EXPECT_THAT(
      ErrorOf(ReplaySchedule(another, schedule)),
      HasSubstr("it shows `root %b %a %x.grad; grad %x`, not `root %a %b %x.grad; grad %x`"));
}

// Two orders, each also with the engine stopped beside the call, and all that with a helper.
TEST(ScheduleEntryTest, ListsAllThatAProgramShows) {
  const auto shown = AllShown(Two().program, 300);
  EXPECT_EQ(shown.size(), 8u);
  int sum = 0;
  for (const auto& [shows, count] : shown) sum += count;
  EXPECT_EQ(sum, 300);
}

}  // namespace
}  // namespace twingrad::golden
