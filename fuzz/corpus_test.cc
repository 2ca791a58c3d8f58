// Tests the seeds of the fuzz targets: the dictionary holds the words of the signature table, the
// .twin files of the parser's corpus are canonical Programs that cover every attribute, and with
// the goldens every statement, and the schedules are of Programs that run on several threads.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "autograd/program/analyze.h"
#include "autograd/program/parse.h"
#include "autograd/program/print.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"
#include "proptests/fuzzing/program_input.h"
#include "proptests/fuzzing/schedule_input.h"
#include "proptests/interleave/strategies/bytes_strategy.h"
#include "proptests/interleave/strategies/strategy.h"

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

TEST(Corpus, SchedulesAreOfProgramsOfSeveralThreads) {
  int of_devices = 0, of_sections = 0, buffered = 0, in_a_setting = 0;
  for (const auto& entry : std::filesystem::directory_iterator("fuzz/corpus/engine_schedules")) {
    const std::string bytes = ReadFile(entry.path());
    const fuzzing::ScheduleInput parts =
        fuzzing::SplitInput({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
    const auto decoded = fuzzing::ShortProgramOf(parts.program);
    ASSERT_TRUE(decoded.has_value()) << entry.path();
    const bool has_sections = program::HasSections(*decoded);
    EXPECT_TRUE(program::DevicesOf(*decoded) > 0 || has_sections) << entry.path();
    ASSERT_GE(parts.schedule.size(), 4u) << entry.path() << " takes no decision";
    (has_sections ? of_sections : of_devices) += 1;
    const interleave::BytesStrategy strategy(parts.schedule);
    buffered += strategy.memory() == interleave::Memory::kBuffered ? 1 : 0;
    in_a_setting += parts.schedule[1] >= 192 ? 1 : 0;
  }
  EXPECT_GE(of_devices, 5);
  EXPECT_GE(of_sections, 3);
  EXPECT_GE(buffered, 2);
  EXPECT_GE(in_a_setting, 2);
}

}  // namespace
}  // namespace twingrad
