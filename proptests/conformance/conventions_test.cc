#include "proptests/conformance/conventions.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "autograd/reference/twin.h"
#include "gtest/gtest.h"
#include "proptests/conformance/testing_engines.h"
#include "proptests/workers/files.h"

namespace twingrad::conformance {
namespace {

// Rows of the table in golden/expected/README.md, each as its cells: the point, then the choices.
std::vector<std::vector<std::string>> Table() {
  const std::string text = *workers::ReadInput("golden/expected/README.md");
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
  const std::vector<Convention> conventions = Conventions();
  ASSERT_EQ(rows.size(), conventions.size() + 1);
  for (size_t i = 0; i < conventions.size(); ++i) {
    const auto& [point, program] = conventions[i];
    const auto twin = twingrad::reference::RunTwin(program);
    ASSERT_FALSE(twin.skipped.has_value()) << point << ": " << *twin.skipped;
    const auto& row = rows[i + 1];
    ASSERT_EQ(row.size(), rows[0].size()) << point << ": one choice an engine";
    EXPECT_EQ(row[0], point);
    EXPECT_EQ(row[1], ChoiceText(program, twin.observation)) << point;
  }
}

// The rules of a dialect that are conventions, too: what its engine was seen to choose.
TEST(ConventionsTest, TheDialectsClampAsTheirEnginesDo) {
  const std::vector<Convention> conventions = Conventions();
  const auto clamp = std::ranges::find(conventions, "clamp at its limits", &Convention::point);
  ASSERT_NE(clamp, conventions.end());
  const auto row = Table().at(static_cast<size_t>(clamp - conventions.begin()) + 1);
  const auto choice = [&](twingrad::reference::Dialect dialect) {
    return ChoiceText(clamp->program,
                      twingrad::reference::RunTwin(clamp->program, dialect).observation);
  };
  EXPECT_EQ(choice(twingrad::reference::Dialect::kPytorch1), row.at(2));
  EXPECT_EQ(choice(twingrad::reference::Dialect::kPytorch), row.at(3));
}

TEST(ConventionsTest, AChoiceIsEveryElementOfWhatRequiresGrad) {
  const auto choice = [](const std::string& statements) {
    const auto program = Parsed(statements);
    return ChoiceText(program, twingrad::reference::RunTwin(program).observation);
  };
  EXPECT_EQ(choice("%w = leaf type=f64[2] data=3,4\n%x = leaf type=f64[2] grad=1\n%z = leaf "
                   "type=f64[] grad=1\n%y = mul %x %w\n%s = sum %y\nbackward %s\n"),
            "3 4, none");
  EXPECT_EQ(choice("%x = leaf type=f64[2] grad=1\nbackward %x\n"), "implicit_seed");
}

}  // namespace
}  // namespace twingrad::conformance
