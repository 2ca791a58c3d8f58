// Fuzz target for the records of a campaign's shard, arbitrary bytes: the lines that are whole
// count, up to the first that is not; they are refused with an error of the documented form, or
// add up to a state that survives printing and reading back.
//
// Each line gets its checksum here, unless the first byte is `!`: no mutation would ever fit one.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/str_split.h"
#include "fuzz/campaign/record_file.h"
#include "fuzz/campaign/shard_state.h"
#include "fuzz/require.h"

namespace twingrad {
namespace {

std::string WithChecksums(std::string_view bytes) {
  std::string text;
  for (const std::string_view line : absl::StrSplit(bytes, '\n')) {
    text += campaign::ChecksummedLine(line);
  }
  return text;
}

void CheckRecords(std::string_view bytes) {
  const bool raw = bytes.substr(0, 1) == "!";
  const campaign::Records read =
      campaign::ParseRecords(raw ? std::string(bytes.substr(1)) : WithChecksums(bytes));
  if (read.records.empty()) return;  // the state of nothing is always the same
  const auto state = campaign::StateOf(read.records, "a file");
  if (!state.ok()) {
    const std::string message(state.status().message());
    return Require(message.rfind("[campaign] ", 0) == 0 && message.find("; ") != std::string::npos,
                   "an error without `[campaign]` or `; what is allowed`", message);
  }
  const auto printed = state->ToJson();
  const auto again = campaign::StateOf({{{"state", printed}}}, "its copy");
  Require(again.ok() && again->ToJson() == printed, "it reads as another", std::string(bytes));
}

}  // namespace
}  // namespace twingrad

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  twingrad::CheckRecords(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
