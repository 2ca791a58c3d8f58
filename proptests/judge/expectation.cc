#include "proptests/judge/expectation.h"

#include <algorithm>
#include <utility>

namespace twingrad::judge {

using twingrad::program::ErrorRecord;
using twingrad::program::Observation;
using twingrad::program::Program;
using twingrad::reference::RunTwin;
using twingrad::reference::TwinResult;

using twingrad::reference::DialectRules;

namespace {

// The calls, by statement, that this run shows to have found their graph released by another thread
// section, of those that may.
std::vector<int32_t> FreedCalls(const TwinResult& expected, const Observation& observed) {
  std::vector<int32_t> freed;
  for (const ErrorRecord& error : observed.survived) {
    const auto& contended = expected.contended_calls;
    const bool may =
        std::find(contended.begin(), contended.end(), error.statement) != contended.end();
    if (may && error.error == ErrorKind::kFreed) freed.push_back(error.statement);
  }
  return freed;
}

}  // namespace

Expectation::Expectation(const Program& program, bool any_order)
    : Expectation(program, RunTwin(program, DialectRules(), any_order), DialectRules(), any_order) {
}

Expectation::Expectation(const Program& program, TwinResult usual, const DialectRules& rules,
                         bool any_order)
    : program_(program), rules_(rules), any_order_(any_order), usual_(std::move(usual)) {}

const TwinResult& Expectation::WithFreed(const std::vector<int32_t>& freed) {
  auto found = with_freed_.find(freed);
  if (found == with_freed_.end()) {
    TwinResult result = twingrad::reference::RunTwinWithFreed(program_, freed, rules_, any_order_);
    found = with_freed_.emplace(freed, std::move(result)).first;
  }
  return found->second;
}

// A call that fails where the usual one does not may have released what others need until then, so
// that they may fail too.
const TwinResult& Expectation::Of(const Observation& observed) {
  const TwinResult* expected = &usual_;
  for (size_t known = 0;;) {
    const std::vector<int32_t> freed = FreedCalls(*expected, observed);
    if (freed.size() <= known) return *expected;
    const TwinResult& with_freed = WithFreed(freed);
    if (!with_freed.freed_calls_are_legal) return *expected;
    expected = &with_freed;
    known = freed.size();
  }
}

std::vector<int32_t> FailedIn(const twingrad::program::Observation& observed) {
  std::vector<int32_t> failed;
  for (const auto& error : observed.survived) failed.push_back(error.statement);
  if (observed.error) failed.push_back(observed.error->statement);
  std::sort(failed.begin(), failed.end());
  return failed;
}

}  // namespace twingrad::judge
