// Tests the seeds of the fuzz targets: the dictionary matches the signature table, and the .twin
// files of the parser's corpus are canonical Programs that cover every statement and attribute.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "autograd/program/limits.h"
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

// One token per line: names of statements, keys, words, and the few literals of the grammar.
std::string Dictionary() {
  std::string text = "# The tokens of a Program. Checked by corpus_test.\n";
  std::set<std::string> seen;
  const auto add = [&](std::string token) {
    if (seen.insert(token).second) absl::StrAppend(&text, "\"", token, "\"\n");
  };
  add(std::string(program::kHeader));
  for (const char* token : {"%", " = ", "f32[", "f64[", "i64[", "bool[", "]", "scalar", "none", "_",
                            "cpu", "dev:0", "inf", "nan", "0x1.8p+1"}) {
    add(token);
  }
  for (const program::Signature& signature : program::Signatures()) {
    add(std::string(signature.name));
    for (const program::AttributeSpec& attribute : signature.attributes) {
      add(absl::StrCat(program::KeyName(attribute.key), "="));
      if (attribute.words.empty()) continue;
      for (const auto word : absl::StrSplit(attribute.words, ' ')) add(std::string(word));
    }
  }
  return text;
}

TEST(Corpus, DictionaryIsThatOfTheSignatureTable) {
  const std::string expected = Dictionary();
  EXPECT_EQ(ReadFile("fuzz/program.dict"), expected);
  // To accept the new dictionary: --test_env=TWINGRAD_UPDATE=<file to write>.
  if (const char* path = std::getenv("TWINGRAD_UPDATE")) std::ofstream(path) << expected;
}

TEST(Corpus, ProgramsAreCanonicalAndHoldEveryStatementAndAttribute) {
  std::set<program::Opcode> statements;
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
