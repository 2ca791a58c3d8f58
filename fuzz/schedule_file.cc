// Fuzz target for the text of schedules: any bytes must be rejected with an error of the documented
// form, or give a schedule that survives printing and parsing.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "proptests/interleave/checker/schedule_file.h"

namespace twingrad {
namespace {

void CheckSchedule(std::string_view text) {
  const auto schedule = interleave::ParseSchedule(text);
  if (!schedule.ok()) {
    const std::string message(schedule.status().message());
    Require(message.rfind("[interleave] schedule:", 0) == 0 &&
                message.find("; allowed is ") != std::string::npos,
            "an error without `[interleave] FILE:LINE` or `; allowed is`", message);
    return;
  }
  const std::string printed = interleave::PrintSchedule(*schedule);
  const auto again = interleave::ParseSchedule(printed);
  Require(again.ok(), "the printed schedule is refused", printed);
  Require(again->decisions == schedule->decisions, "it has other decisions", printed);
  Require(interleave::PrintSchedule(*again) == printed, "it reads as another", printed);
}

}  // namespace
}  // namespace twingrad

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  twingrad::CheckSchedule(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
