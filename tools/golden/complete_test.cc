// Whether each statement is done everywhere: prints, for each one that is not, the places that lack
// it. What the compiler or a table's static_assert finds is not repeated here.
//
//   tools/bazel test //tools/golden:golden_test --test_output=errors

#include <gtest/gtest.h>

#include <cctype>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/ops/registry.h"
#include "autograd/program/parse.h"
#include "autograd/program/signature.h"
#include "proptests/generators/generate.h"
#include "tools/golden/entry_text.h"

namespace twingrad {
namespace {

using program::Category;
using program::Opcode;
using program::Signature;

bool Computes(const Signature& signature) {
  return signature.category >= Category::kElementwise && signature.category <= Category::kInPlace;
}

std::set<Opcode> OpcodesBelow(const char* folder) {
  std::set<Opcode> found;
  const std::vector<std::filesystem::path> paths = *golden::FilesBelow(folder, ".twin");
  for (const std::filesystem::path& path : paths) {
    const auto parsed = program::Parse(golden::ReadText(path));
    EXPECT_TRUE(parsed.ok()) << path << ": " << parsed.status();
    if (!parsed.ok()) continue;
    for (const program::Statement& statement : parsed->statements) found.insert(statement.op);
  }
  return found;
}

std::set<Opcode> GeneratedOpcodes() {
  std::set<Opcode> found;
  for (uint64_t seed = 0; seed < 5000; ++seed) {
    for (const program::Statement& s : generators::Generate(seed).statements) found.insert(s.op);
  }
  return found;
}

// Whether the word stands in the file by itself.
bool IsNamedIn(const std::string& text, std::string_view word) {
  const auto is_letter = [](char c) { return c == '_' || std::isalnum(static_cast<uint8_t>(c)); };
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]))) {
      return true;
    }
  }
  return false;
}

TEST(Complete, EveryStatementIsDoneEverywhere) {
  const std::set<Opcode> examples = OpcodesBelow("autograd/program/examples");
  const std::set<Opcode> goldens = OpcodesBelow("golden/programs");
  const std::set<Opcode> generated = GeneratedOpcodes();
  const std::string adapter = golden::ReadText("tools/adapters/python/torch_adapter.py");
  for (const Signature& signature : program::Signatures()) {
    std::string missing;
    const auto lacks = [&](const char* place) { absl::StrAppend(&missing, "\n  ", place); };
    if (!Computes(signature)) {
      if (!examples.contains(signature.op)) lacks("autograd/program/examples: no Program holds it");
    } else {
      if (ops::Find(signature.op) == nullptr) lacks("autograd/ops/registry.cc: no row");
      if (!goldens.contains(signature.op)) lacks("golden/programs: no entry holds it");
      if (!generated.contains(signature.op)) {
        lacks("proptests/generators: none of 5,000 Programs holds it");
      }
      const bool left_out = signature.op == Opcode::kCopyInPlace ||
                            signature.op == Opcode::kZeroInPlace || signature.op == Opcode::kTo;
      if (!left_out && !IsNamedIn(adapter, signature.name)) {
        lacks("tools/adapters/python/torch_adapter.py: not in its table");
      }
    }
    EXPECT_EQ(missing, "") << "[golden] the statement " << signature.name
                           << " is not done everywhere; it is missing in:" << missing;
  }
}

}  // namespace
}  // namespace twingrad
