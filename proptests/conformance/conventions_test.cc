#include "proptests/conformance/conventions.h"

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "autograd/program/parse.h"
#include "autograd/reference/twin.h"
#include "gtest/gtest.h"

namespace twingrad::conformance {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Rows of the table in golden/expected/README.md, each as its cells: the point, then the choices.
std::vector<std::vector<std::string>> Table() {
  const std::string text = ReadFile("golden/expected/README.md");
  const size_t begin = text.find("checked by conventions_test");
  const size_t end = text.find("<!-- The end of the table.");
  if (begin == std::string::npos || end == std::string::npos) return {};
  std::vector<std::vector<std::string>> rows;
  for (std::string_view line : absl::StrSplit(text.substr(begin, end - begin), '\n')) {
    if (line.size() < 4 || line.substr(0, 2) != "| ") continue;
    rows.push_back(absl::StrSplit(line.substr(2, line.size() - 4), " | "));
  }
  return rows;
}

TEST(ConventionsTest, EachStandsInTheTableWithTheTwinsChoice) {
  const auto rows = Table();
  ASSERT_EQ(rows.size(), Conventions().size() + 1);
  for (size_t i = 0; i < Conventions().size(); ++i) {
    const Convention& convention = Conventions()[i];
    const auto program = twingrad::program::Parse(convention.program);
    ASSERT_TRUE(program.ok()) << convention.point << ": " << program.status();
    const auto twin = twingrad::reference::RunTwin(*program);
    ASSERT_FALSE(twin.skipped.has_value()) << convention.point << ": " << *twin.skipped;
    const auto& row = rows[i + 1];
    ASSERT_EQ(row.size(), rows[0].size()) << convention.point << ": one choice an engine";
    EXPECT_EQ(row[0], convention.point);
    EXPECT_EQ(row[1], ChoiceText(*program, twin.observation)) << convention.point;
  }
}

// The rules of a dialect that are conventions, too: what its engine was seen to choose.
TEST(ConventionsTest, TheDialectsClampAsTheirEnginesDo) {
  for (const auto& row : Table()) {
    if (row[0] != "clamp at its limits") continue;
    for (const Convention& convention : Conventions()) {
      if (convention.point != row[0]) continue;
      const auto program = twingrad::program::Parse(convention.program);
      ASSERT_TRUE(program.ok()) << program.status();
      using twingrad::reference::Dialect;
      const auto first = twingrad::reference::RunTwin(*program, Dialect::kPytorch1);
      const auto second = twingrad::reference::RunTwin(*program, Dialect::kPytorch);
      EXPECT_EQ(ChoiceText(*program, first.observation), row[2]);
      EXPECT_EQ(ChoiceText(*program, second.observation), row[3]);
      return;
    }
  }
  FAIL() << "no row of clamp";
}

TEST(ConventionsTest, AChoiceIsEveryElementOfWhatRequiresGrad) {
  const auto choice = [](const std::string& statements) {
    const auto program = twingrad::program::Parse(absl::StrCat("twingrad 1\n", statements));
    EXPECT_TRUE(program.ok()) << program.status();
    return ChoiceText(*program, twingrad::reference::RunTwin(*program).observation);
  };
  EXPECT_EQ(choice("%w = leaf type=f64[2] data=3,4\n%x = leaf type=f64[2] grad=1\n%z = leaf "
                   "type=f64[] grad=1\n%y = mul %x %w\n%s = sum %y\nbackward %s\n"),
            "3 4, none");
  EXPECT_EQ(choice("%x = leaf type=f64[2] grad=1\nbackward %x\n"), "implicit_seed");
}

}  // namespace
}  // namespace twingrad::conformance
