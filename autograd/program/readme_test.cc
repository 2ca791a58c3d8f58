// The table of statements in README.md is that of signature.cc.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "autograd/program/parse.h"
#include "autograd/program/print.h"
#include "autograd/program/signature.h"

namespace twingrad::program {
namespace {

constexpr char kReadme[] = "autograd/program/README.md";
constexpr char kBegin[] = "<!-- The table below is checked by readme_test. -->\n";
constexpr char kEnd[] = "<!-- The end of the table. -->\n";

std::string Readme() {
  std::stringstream text;
  text << std::ifstream(kReadme).rdbuf();
  return text.str();
}

std::string Count(int least, int most) {
  return least == most ? absl::StrCat(least) : absl::StrCat(least, "–", most);
}

// By DTypeRule.
constexpr std::string_view kDTypes[] = {"any", "numbers", "floats"};

// By Format; a word is one of those that the attribute lists.
constexpr std::string_view kArguments[] = {
    "0|1",      "integer", "number", "word",         "equation", "handle", "integers",
    "elements", "element", "values", "handle|value", "type",     "dtype",  "device"};

std::string Argument(const AttributeSpec& a) {
  if (a.format == Format::kWord) return absl::StrReplaceAll(a.words, {{" ", "|"}});
  return std::string(kArguments[static_cast<int>(a.format)]);
}

// A required attribute stands alone, an optional one in brackets.
std::string Attributes(const Signature& s) {
  return absl::StrJoin(s.attributes, " ", [](std::string* out, const AttributeSpec& a) {
    const bool required = a.otherwise == Default::kRequired;
    absl::StrAppend(out, "`", required ? "" : "[", KeyName(a.key), "=",
                    absl::StrReplaceAll(Argument(a), {{"|", "\\|"}}), required ? "" : "]", "`");
  });
}

// Operands that a gradient can flow to, or `-`.
std::string Differentiable(const Signature& s) {
  std::string text;
  for (int i = 0; i < s.max_operands && i < 32; ++i) {
    if (s.IsDifferentiable(i)) absl::StrAppend(&text, text.empty() ? "" : " ", i);
  }
  return text.empty() ? "-" : text;
}

std::string Table() {
  std::string table =
      "| statement | operands | results | types | gradient to | attributes | what it does |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const Signature& s : Signatures()) {
    absl::StrAppend(&table, "| `", s.name, "` | ", Count(s.min_operands, s.max_operands), " | ",
                    Count(s.min_results, s.max_results), " | ",
                    s.max_operands == 0 ? "" : kDTypes[static_cast<int>(s.dtypes)], " | ",
                    Differentiable(s), " | ", Attributes(s), " | ", s.doc, " |\n");
  }
  return table;
}

TEST(Readme, TableOfStatementsIsThatOfTheCode) {
  const std::string readme = Readme();
  const size_t begin = readme.find(kBegin);
  const size_t end = readme.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const size_t from = begin + sizeof kBegin - 1;
  EXPECT_EQ(readme.substr(from, end - from), Table());
  // To accept the new table: --test_env=TWINGRAD_UPDATE=<file to write>.
  if (const char* path = std::getenv("TWINGRAD_UPDATE")) {
    std::ofstream(path) << readme.substr(0, from) << Table() << readme.substr(end);
  }
}

TEST(Readme, ExampleIsACanonicalProgram) {
  const std::string readme = Readme();
  const size_t begin = readme.find("```\n") + 4;
  const std::string example = readme.substr(begin, readme.find("```", begin) - begin);
  const auto program = Parse(example);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(Print(*program), example);
}

TEST(Readme, NamesEveryKindOfArgumentInTheGrammar) {
  const std::string readme = Readme();
  for (const char* word :
       {"type", "elements", "integers", "values", "device", "handle", "number"}) {
    EXPECT_NE(readme.find(absl::StrCat("\n", word)), std::string::npos) << word;
  }
}

}  // namespace
}  // namespace twingrad::program
