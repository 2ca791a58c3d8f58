#include "tools/golden/complaint.h"

#include "absl/strings/str_cat.h"
#include "autograd/program/observation_text.h"
#include "proptests/oracles/expect.h"

namespace twingrad::golden {

std::string Complaint(const Entry& entry, const twingrad::program::Observation& observation,
                      const std::string& by) {
  std::string text;
  for (const auto& unmet : twingrad::oracles::UnmetExpectations(entry.program, observation)) {
    absl::StrAppend(&text, "  ", unmet.text, "\n");
  }
  if (text.empty()) return text;
  return absl::StrCat(entry.path, ", run by ", by, ":\n", text,
                      twingrad::program::PrintObservation(entry.program, observation),
                      "replay: tools/bazel run //tools/oracle -- run ", entry.path, "\n");
}

}  // namespace twingrad::golden
