// Fuzz target for lists of expected failures, arbitrary bytes: refused with an error of the
// documented form, or a list that survives printing and parsing and judges a Program.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "autograd/program/parse.h"
#include "fuzz/require.h"
#include "proptests/conformance/expected_failures.h"

namespace twingrad {
namespace {

constexpr std::string_view kProgram =
    "twingrad 1\n%x = leaf type=f64[2] data=3,4 grad=1\n%y = mul %x %x\n%s = sum %y\nbackward %s\n";

void CheckList(std::string_view text) {
  static const auto* const program = new program::Program(*program::Parse(kProgram));
  const auto list = conformance::ParseExpectedFailures(text);
  if (!list.ok()) {
    const std::string message(list.status().message());
    return Require(message.rfind("[oracle] expected failures, line ", 0) == 0 &&
                       message.find("; allowed ") != std::string::npos,
                   "an error without `[oracle] expected failures, line` or `; allowed`", message);
  }
  const std::string printed = conformance::PrintExpectedFailures("", *list);
  const auto again = conformance::ParseExpectedFailures(printed);
  Require(again.ok(), "the printed list is refused", printed);
  Require(conformance::PrintExpectedFailures("", *again) == printed, "it reads as another",
          printed);
  list->Expired("2026-01-01");
  list->DefectsToFollow();
  for (const conformance::FailureSignature& signature : list->signatures) {
    signature.Matches(*program, signature.rule, {}, {}, "what the verdict says");
  }
}

}  // namespace
}  // namespace twingrad

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  twingrad::CheckList(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
