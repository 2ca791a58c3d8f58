// Each finding of golden/findings is accounted for: by entries of the lists of known failures, or
// by switches of the twin's dialects, as the table of golden/findings/README.md says.

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "autograd/program/observation_text.h"
#include "autograd/program/parse.h"
#include "autograd/reference/dialect.h"
#include "autograd/reference/twin.h"
#include "gmock/gmock.h"
#include "tools/golden/entry_text.h"

namespace twingrad::golden {
namespace {

namespace fs = std::filesystem;
using reference::Dialect;

// Id of a finding -> the lists that have an entry of it.
std::map<std::string, std::set<std::string>> Lists() {
  std::map<std::string, std::set<std::string>> lists;
  const std::vector<fs::path> paths = *FilesBelow("golden/expected", ".txt");
  for (const fs::path& path : paths) {
    const std::string text = ReadText(path);
    for (const std::string_view line : absl::StrSplit(text, '\n')) {
      const std::vector<std::string> words = absl::StrSplit(line, ' ');
      if (words[0] == "entry") lists[words[1]].insert(path.stem().string());
    }
  }
  return lists;
}

// Rows `| [ID](...) | lists | switches |` of the README; both may be empty.
struct Account {
  std::set<std::string> lists;
  std::set<std::string> switches;
};

std::set<std::string> Words(std::string_view cell) {
  return absl::StrSplit(cell, absl::ByAnyChar(" ,`"), absl::SkipEmpty());
}

std::map<std::string, Account> Accounts() {
  std::map<std::string, Account> accounts;
  const std::string text = ReadText("golden/findings/README.md");
  const size_t begin = text.find("checked by findings_test");
  if (begin == std::string::npos) return accounts;
  for (const std::string_view line : absl::StrSplit(std::string_view(text).substr(begin), '\n')) {
    const std::vector<std::string_view> cells = absl::StrSplit(line, '|');
    if (cells.size() != 5 || !absl::StrContains(cells[1], "-0")) continue;
    const std::set<std::string> id = Words(cells[1]);
    accounts[*id.begin()] = {Words(cells[2]), Words(cells[3])};
  }
  return accounts;
}

std::string Shown(const program::Program& program, Dialect dialect) {
  const auto twin = reference::RunTwin(program, dialect);
  EXPECT_EQ(twin.skipped.value_or(""), "");
  return program::PrintObservation(program, twin.observation);
}

TEST(FindingsTest, EachIsAnEntryOrASwitchAndStandsInTheTable) {
  const auto lists = Lists();
  const auto accounts = Accounts();
  const std::string switches = ReadText("autograd/reference/dialect.h");
  const std::vector<fs::path> findings = *FilesBelow("golden/findings", ".twin");
  EXPECT_EQ(accounts.size(), findings.size());
  for (const fs::path& path : findings) {
    const std::string id = path.stem().string();
    const auto account = accounts.find(id);
    ASSERT_NE(account, accounts.end()) << id << " is missing in golden/findings/README.md";
    const auto list = lists.find(id);
    EXPECT_EQ(account->second.lists, list == lists.end() ? std::set<std::string>() : list->second)
        << id << ": the lists in golden/expected that have an entry of it";
    EXPECT_FALSE(account->second.lists.empty() && account->second.switches.empty())
        << id << " is accounted for by nothing";
    for (const std::string& name : account->second.switches) {
      EXPECT_THAT(switches, testing::HasSubstr(absl::StrCat("bool ", name, " = "))) << name;
    }
  }
}

TEST(FindingsTest, ASwitchChangesWhatTheTwinSays) {
  for (const auto& [id, account] : Accounts()) {
    if (account.switches.empty()) continue;
    const std::string engine = id.substr(0, id.rfind('-'));
    const auto program =
        program::Parse(ReadText(absl::StrCat("golden/findings/", engine, "/", id, ".twin")));
    ASSERT_TRUE(program.ok()) << id << ": " << program.status();
    const std::string sound = Shown(*program, Dialect::kTwingrad);
    EXPECT_TRUE(Shown(*program, Dialect::kPytorch) != sound ||
                Shown(*program, Dialect::kPytorch1) != sound)
        << id << " is the same in all dialects; it needs an entry in golden/expected";
  }
}

}  // namespace
}  // namespace twingrad::golden
