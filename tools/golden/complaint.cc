#include "tools/golden/complaint.h"

#include "absl/strings/str_cat.h"
#include "autograd/runner/expect.h"
#include "autograd/runner/print.h"

namespace twingrad::golden {

std::string Complaint(const Entry& entry, const autograd::program::Observation& observation,
                      const std::string& by) {
  std::string text;
  for (const auto& unmet : autograd::runner::UnmetExpectations(entry.program, observation)) {
    absl::StrAppend(&text, "  ", unmet.text, "\n");
  }
  if (text.empty()) return text;
  return absl::StrCat(entry.path, ", run by ", by, ":\n", text,
                      autograd::runner::PrintObservation(entry.program, observation),
                      "replay: tools/bazel run //tools/oracle -- run ", entry.path, "\n");
}

}  // namespace twingrad::golden
