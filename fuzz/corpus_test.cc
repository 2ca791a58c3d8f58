// Tests the seeds of the fuzz targets: the dictionary holds the words of the signature table, and
// the .twin files of the parser's corpus are canonical Programs that cover every attribute, and
// with the goldens every statement.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "autograd/program/parse.h"
#include "autograd/program/print.h"
#include "autograd/program/signature.h"

namespace twingrad {
namespace {

namespace program = twingrad::program;

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Corpus, DictionaryHoldsEachWordOfTheSignatureTableOnce) {
  const std::vector<std::string> lines = absl::StrSplit(ReadFile("fuzz/program.dict"), '\n');
  const auto count = [&](std::string_view token) {
    return std::count(lines.begin(), lines.end(), absl::StrCat("\"", token, "\""));
  };
  for (const program::Signature& signature : program::Signatures()) {
    EXPECT_EQ(count(signature.name), 1) << signature.name;
    for (const program::AttributeSpec& attribute : signature.attributes) {
      EXPECT_EQ(count(absl::StrCat(program::KeyName(attribute.key), "=")), 1) << signature.name;
      for (const auto word : absl::StrSplit(attribute.words, ' ', absl::SkipEmpty())) {
        EXPECT_EQ(count(word), 1) << word;
      }
    }
  }
}

// A new op has a golden, and needs no example too.
std::set<program::Opcode> StatementsOfGoldens() {
  std::set<program::Opcode> statements;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("golden/programs")) {
    if (entry.path().extension() != ".twin") continue;
    const auto parsed = program::Parse(ReadFile(entry.path()));
    EXPECT_TRUE(parsed.ok()) << entry.path() << ": " << parsed.status();
    if (!parsed.ok()) continue;
    for (const program::Statement& statement : parsed->statements) statements.insert(statement.op);
  }
  return statements;
}

TEST(Corpus, ProgramsAreCanonicalAndHoldEveryStatementAndAttribute) {
  std::set<program::Opcode> statements = StatementsOfGoldens();
  std::set<program::Key> keys;
  for (const auto& entry : std::filesystem::directory_iterator("autograd/program/examples")) {
    const std::string text = ReadFile(entry.path());
    const auto parsed = program::Parse(text);
    if (entry.path().extension() != ".twin") {
      EXPECT_FALSE(parsed.ok() && program::Print(*parsed) == text) << entry.path();
      continue;
    }
    ASSERT_TRUE(parsed.ok()) << entry.path() << ": " << parsed.status();
    EXPECT_EQ(program::Print(*parsed), text) << entry.path();
    for (const program::Statement& statement : parsed->statements) {
      statements.insert(statement.op);
      for (const program::Attribute& attribute : statement.attributes) keys.insert(attribute.key);
    }
  }
  for (const program::Signature& signature : program::Signatures()) {
    EXPECT_TRUE(statements.contains(signature.op)) << signature.name;
  }
  for (int i = 0; i < program::kNumKeys; ++i) {
    EXPECT_TRUE(keys.contains(static_cast<program::Key>(i)))
        << program::KeyName(static_cast<program::Key>(i));
  }
}

}  // namespace
}  // namespace twingrad
