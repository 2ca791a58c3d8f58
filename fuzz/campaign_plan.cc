// Fuzz target for the plans of campaigns, arbitrary bytes: refused with an error of the documented
// form, or a plan that survives printing and parsing and gives each of its shards a job.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/campaign/plan.h"
#include "fuzz/require.h"

namespace twingrad {
namespace {

constexpr uint64_t kFewShards = 100;

void CheckPlan(std::string_view text) {
  const auto plan = campaign::ParsePlan(text, "plan.json");
  if (!plan.ok()) {
    const std::string message(plan.status().message());
    return Require(
        message.rfind("[campaign] plan.json", 0) == 0 && message.find("; ") != message.rfind("; "),
        "an error without `[campaign] FILE`, what is allowed or what to do", message);
  }
  const std::string printed = campaign::PrintPlan(*plan);
  const auto again = campaign::ParsePlan(printed, "plan.json");
  Require(again.ok(), "the printed plan is refused", printed);
  Require(campaign::PrintPlan(*again) == printed, "it reads as another", printed);
  if (plan->shards > kFewShards) return;
  for (const uint32_t job : campaign::JobsOfShards(*plan)) {
    Require(job < plan->jobs.size(), "a shard of no job", printed);
  }
  Require(campaign::PlantsOfShards(*plan).size() == plan->shards, "a shard without its number",
          printed);
}

}  // namespace
}  // namespace twingrad

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  twingrad::CheckPlan(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
