// Every message that a text can draw from parser and analyzer, as written in
// testdata/errors.golden.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "autograd/program/limits.h"
#include "autograd/program/parse.h"
#include "autograd/program/signature.h"

namespace twingrad::program {
namespace {

constexpr char kFile[] = "autograd/program/testdata/errors.golden";

struct Case {
  std::string title;
  std::string prelude;  // the lines that it shares with the cases around it
  std::string text;     // what follows them
  std::string message;
};

// Blocks of `== title`, the text, `-- message`; the lines after the latest `++` begin every text
// below it. In texts, \r and \x80 stand for those bytes.
std::vector<Case> ReadCases() {
  std::ifstream file(kFile);
  EXPECT_TRUE(file.good()) << kFile;
  std::vector<Case> cases;
  std::string comment, prelude;
  std::string* text = &comment;
  for (std::string line; std::getline(file, line);) {
    if (line == "++") {
      prelude.clear();
      text = &prelude;
    } else if (line.rfind("== ", 0) == 0) {
      text = &cases.emplace_back(Case{line.substr(3), prelude, "", ""}).text;
    } else if (line.rfind("-- ", 0) == 0) {
      cases.back().message = line.substr(3);
    } else {
      *text += absl::StrReplaceAll(line, {{"\\r", "\r"}, {"\\x80", "\x80"}}) + "\n";
    }
  }
  return cases;
}

// The message without the names of all statements, so that a new one changes no golden.
std::string WithoutNames(std::string_view message) {
  const std::string names = absl::StrJoin(
      Signatures(), " ",
      [](std::string* out, const Signature& signature) { absl::StrAppend(out, signature.name); });
  return absl::StrReplaceAll(message, {{names, "<statements>"}});
}

TEST(Parse, MessagesAreTheGoldenOnes) {
  const std::vector<Case> cases = ReadCases();
  EXPECT_GT(cases.size(), 100u);
  std::ostringstream updated;
  std::string prelude;
  for (const Case& c : cases) {
    const auto parsed = Parse(c.prelude + c.text);
    const std::string message = WithoutNames(parsed.status().message());
    EXPECT_FALSE(parsed.ok()) << c.title;
    EXPECT_EQ(message, c.message) << c.title << "\n" << c.prelude << c.text;
    if (c.prelude != prelude) updated << "++\n" << c.prelude;
    prelude = c.prelude;
    updated << "== " << c.title << "\n"
            << absl::StrReplaceAll(c.text, {{"\r", "\\r"}, {"\x80", "\\x80"}}) << "-- " << message
            << "\n";
  }
  // To accept new messages, after reading them: --test_env=TWINGRAD_UPDATE=<file to write>.
  if (const char* path = std::getenv("TWINGRAD_UPDATE")) std::ofstream(path) << updated.str();
}

// `[program] line:column what is wrong; what is allowed`, on one line, in printable ASCII.
TEST(Parse, MessagesHaveTheForm) {
  for (const Case& c : ReadCases()) {
    EXPECT_EQ(c.message.rfind("[program] ", 0), 0u) << c.message;
    EXPECT_NE(c.message.find("; "), std::string::npos) << c.message;
    for (const char byte : c.message) EXPECT_TRUE(byte >= ' ' && byte <= '~') << c.message;
  }
}

TEST(Parse, TooManyStatements) {
  std::string text = "twingrad 1\n";
  for (int i = 0; i < kMaxStatements; ++i)
    text += "%v" + std::to_string(i) + " = leaf type=f64[]\n";
  EXPECT_TRUE(Parse(text).ok());
  text += "%one_more = leaf type=f64[]\n";
  EXPECT_EQ(Parse(text).status().message(),
            "[program] 200002:13 statement number 200001; a Program has at most 200000");
}

// 10,000 statements of any kind go; later ones that look at the graph go while their sum allows.
TEST(Parse, TooManyStatementsThatLookAtTheGraph) {
  std::string text = "twingrad 1\n%x = leaf type=f64[] grad=1\n";
  for (int i = 1; i < 10'000; ++i) text += "retain_grad %x\n";
  EXPECT_TRUE(Parse(text).ok());
  text += "%y = neg %x\nretain_grad %y\n";
  EXPECT_EQ(Parse(text).status().message(),
            "[program] 10003:1 retain_grad after 10001 statements; only leaves and ops go here: "
            "calls, hooks, regions and what else may look at the whole graph have had 49995000 "
            "statements before them, and at most 50000000 go");
}

TEST(Parse, TooManyOperands) {
  std::string text = "twingrad 1\n%x = leaf type=f64[] grad=1\nbackward";
  for (int i = 0; i < kMaxOperands; ++i) text += " %x";
  EXPECT_TRUE(Parse(text).ok());
  EXPECT_EQ(Parse(text + " %x").status().message(),
            "[program] 3:3010 too many operands; at most 1000");
}

TEST(Parse, TooManyValuesInAList) {
  std::string text = "twingrad 1\n%x = leaf type=f64[] grad=1\nbackward %x inputs=%x";
  for (int i = 1; i < kMaxOperands; ++i) text += ",%x";
  EXPECT_TRUE(Parse(text).ok());
  EXPECT_EQ(Parse(text + ",%x").status().message(), "[program] 3:13 1001 values; at most 1000");
}

TEST(Parse, TextTooLong) {
  const std::string text(static_cast<size_t>(kMaxTextBytes) + 1, '\n');
  EXPECT_EQ(Parse(text).status().message(),
            "[program] 1:1 a text of 67108865 bytes; at most 67108864");
}

TEST(Parse, TotalElements) {
  std::string text = "twingrad 1\n%v0 = leaf type=f64[1024,1024]\n";
  for (int i = 1; i < 65; ++i) {
    text += "%v" + std::to_string(i) + " = detach %v0\n";
    EXPECT_EQ(Parse(text).ok(), i < 64) << i;
  }
}

}  // namespace
}  // namespace twingrad::program
