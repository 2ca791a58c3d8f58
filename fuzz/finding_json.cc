// Fuzz target for the finding.json of a finding, arbitrary bytes: refused with an error of the
// documented form, or it says the same after printing and parsing.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "proptests/findings/description.h"

namespace twingrad {
namespace {

void CheckDescription(std::string_view text) {
  const auto description = findings::ParseDescription(text, "finding.json");
  if (!description.ok()) {
    const std::string message(description.status().message());
    return Require(message.rfind("[oracle] finding.json ", 0) == 0 &&
                       message.find("; allowed is ") != std::string::npos,
                   "an error without `[oracle] FILE` or `; allowed is`", message);
  }
  const std::string printed = findings::PrintDescription(*description);
  const auto again = findings::ParseDescription(printed, "finding.json");
  Require(again.ok(), "what was printed is refused", printed);
  Require(*again == *description, "it says something else", printed);
}

}  // namespace
}  // namespace twingrad

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  twingrad::CheckDescription(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
