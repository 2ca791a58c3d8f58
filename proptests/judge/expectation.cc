#include "proptests/judge/expectation.h"

#include <algorithm>
#include <utility>

namespace twingrad::judge {

using twingrad::program::ErrorRecord;
using twingrad::program::Observation;
using twingrad::program::Program;
using twingrad::reference::RunTwin;
using twingrad::reference::TwinResult;

std::vector<int32_t> FreedCalls(const TwinResult& usual, const Observation& observed) {
  std::vector<int32_t> freed;
  for (const ErrorRecord& error : observed.survived) {
    const auto& contended = usual.contended_calls;
    const bool may =
        std::find(contended.begin(), contended.end(), error.statement) != contended.end();
    if (may && error.error == ErrorKind::kFreed) freed.push_back(error.statement);
  }
  return freed;
}

Expectation::Expectation(const Program& program, bool any_order)
    : program_(program),
      any_order_(any_order),
      usual_(RunTwin(program, reference::DialectRules(), any_order)) {}

const TwinResult& Expectation::Of(const Observation& observed) {
  std::vector<int32_t> freed = FreedCalls(usual_, observed);
  if (freed.empty()) return usual_;
  auto found = with_freed_.find(freed);
  if (found == with_freed_.end()) {
    TwinResult result = twingrad::reference::RunTwinWithFreed(
        program_, freed, reference::DialectRules(), any_order_);
    found = with_freed_.emplace(std::move(freed), std::move(result)).first;
  }
  return found->second.freed_calls_are_legal ? found->second : usual_;
}

}  // namespace twingrad::judge
