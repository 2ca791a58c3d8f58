// Every operation of the registry has a name for users: one of the functions of these headers, in
// capitals and without underscores.

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "autograd/program/signature.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

using program::Category;
using program::Opcode;
using program::Signature;

std::string TextOfHeaders() {
  std::string text;
  for (const char* header : {"functions.h", "networks.h", "norms.h"}) {
    std::ifstream file(std::string("autograd/notation/") + header);
    text.append(std::istreambuf_iterator<char>(file), {});
  }
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// What is an operator, a handle's own, or has a name that users want for themselves (x * x and
// Transpose do).
bool HasNoFunction(Opcode op) {
  constexpr Opcode kNone[] = {Opcode::kAdd, Opcode::kSub,    Opcode::kMul, Opcode::kDiv,
                              Opcode::kNeg, Opcode::kSquare, Opcode::kT,   Opcode::kAlias};
  return std::ranges::find(kNone, op) != std::end(kNone);
}

TEST(Names, OfEveryOperation) {
  const std::string text = TextOfHeaders();
  ASSERT_FALSE(text.empty());
  int found = 0;
  for (const Signature& signature : program::Signatures()) {
    if (!IsComputed(signature.category) || signature.category == Category::kInPlace) continue;
    if (HasNoFunction(signature.op)) continue;
    std::string name(signature.name);
    std::erase(name, '_');
    const bool declared = text.find(" " + name + "(") != std::string::npos ||
                          text.find("ops::" + name + ";") != std::string::npos;
    EXPECT_TRUE(declared) << signature.name << " has no function in autograd/notation";
    ++found;
  }
  EXPECT_GE(found, 140);
}

}  // namespace
}  // namespace twingrad
