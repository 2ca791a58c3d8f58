// Prints libFuzzer's dictionary of Programs, fuzz/program.dict: the names of statements, keys and
// words of the signature table, and the few literals of the grammar. The build runs it.

#include <cstdio>
#include <set>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "autograd/program/limits.h"
#include "autograd/program/signature.h"

namespace program = twingrad::program;

int main() {
  std::set<std::string> seen;
  const auto add = [&](std::string_view token) {
    if (seen.emplace(token).second) std::printf("\"%s\"\n", std::string(token).c_str());
  };
  add(program::kHeader);
  for (const char* token : {"%", " = ", "f32[", "f64[", "i64[", "bool[", "]", "scalar", "none", "_",
                            "cpu", "dev:0", "inf", "nan", "0x1.8p+1"}) {
    add(token);
  }
  for (const program::Signature& signature : program::Signatures()) {
    add(signature.name);
    for (const program::AttributeSpec& attribute : signature.attributes) {
      add(absl::StrCat(program::KeyName(attribute.key), "="));
      for (const auto word : absl::StrSplit(attribute.words, ' ', absl::SkipEmpty())) add(word);
    }
  }
}
