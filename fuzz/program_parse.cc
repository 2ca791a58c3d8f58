// Fuzz target for the parser: any bytes must be rejected with an error of the documented form, or
// give a Program that survives printing and parsing with the same hash.

#include <cstdint>
#include <string>
#include <string_view>

#include "autograd/program/analyze.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/parse.h"
#include "autograd/program/print.h"
#include "fuzz/require.h"

namespace twingrad {
namespace {

namespace program = twingrad::program;

void CheckText(std::string_view text) {
  const auto parsed = program::Parse(text);
  if (!parsed.ok()) {
    const std::string message(parsed.status().message());
    Require(message.rfind("[program] ", 0) == 0 && message.find("; ") != std::string::npos,
            "an error without `[program]` or `; what is allowed`", message);
    return;
  }
  const std::string canonical = program::Print(*parsed);
  const auto again = program::Parse(canonical);
  Require(again.ok(), "the canonical text is refused", canonical);
  Require(*again == *parsed, "the canonical text means another Program", canonical);
  Require(program::Hash(*again) == program::Fnv1a(canonical), "the hash differs", canonical);
  const auto analysis = program::Analyze(*parsed);
  Require(analysis.ok(), "a parsed Program is not valid", canonical);
  for (const program::ValueInfo& value : analysis->values) {
    const program::Statement& statement = parsed->statements[value.statement];
    const int64_t count = program::NumElements(value.type.shape);
    if (statement.op != program::Opcode::kLeaf || count > 4096) continue;
    Require(static_cast<int64_t>(program::LeafData(statement).size()) == count,
            "a leaf has another number of elements than its type", canonical);
  }
}

}  // namespace
}  // namespace twingrad

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  twingrad::CheckText(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
