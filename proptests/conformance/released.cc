#include "proptests/conformance/released.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace twingrad::conformance {
namespace {

using twingrad::program::CallRecord;
using twingrad::program::NodeName;
using twingrad::program::NodeRole;
using twingrad::program::Observation;
using twingrad::reference::TwinResult;

// Those that ran and may have saved what can be released.
std::vector<NodeName> NodesRunBy(const CallRecord& call) {
  std::vector<NodeName> names;
  for (const int32_t node : call.executed) {
    const NodeName& name = call.nodes[static_cast<size_t>(node)].name;
    if (name.role != NodeRole::kAccumulateGrad) names.push_back(name);
  }
  return names;
}

bool IsNested(const CallRecord& call) { return call.outer >= 0; }

// Whether all nodes of the call at this statement follow from the Program alone.
bool IsPredicted(const TwinResult& expected, int32_t statement) {
  const auto& calls = expected.observation.calls;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].statement == statement && !expected.call_predicted[i]) return false;
  }
  return true;
}

}  // namespace

bool FindsNothingReleased(const TwinResult& expected, const Observation& observed) {
  const auto& error = expected.observation.error;
  if (!error || error->error != ErrorKind::kFreed) return false;
  if (observed.error && observed.error->statement <= error->statement) return false;
  if (IsPredicted(expected, error->statement)) return false;
  if (std::ranges::any_of(observed.calls, &IsNested)) return false;
  std::vector<NodeName> released;
  for (const CallRecord& call : observed.calls) {
    if (call.statement > error->statement) break;
    const std::vector<NodeName> run = NodesRunBy(call);
    if (call.statement == error->statement) {
      return !run.empty() && std::ranges::none_of(run, [&](const NodeName& name) {
        return std::ranges::count(released, name) > 0;
      });
    }
    if (!call.keep_graph) released.insert(released.end(), run.begin(), run.end());
  }
  return false;
}

}  // namespace twingrad::conformance
