// The order of nested calls. See observation.h.

#include "autograd/program/observation.h"

#include <algorithm>
#include <utility>

namespace twingrad::program {
namespace {

void AppendCalls(const std::vector<CallRecord>& calls, int32_t outer, std::vector<int32_t>& order) {
  std::vector<int32_t> inner;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].outer == outer) inner.push_back(static_cast<int32_t>(i));
  }
  std::stable_sort(inner.begin(), inner.end(),
                   [&](int32_t a, int32_t b) { return calls[a].statement < calls[b].statement; });
  for (const int32_t call : inner) {
    order.push_back(call);
    AppendCalls(calls, call, order);
  }
}

}  // namespace

std::vector<int32_t> CallOrder(const std::vector<CallRecord>& calls) {
  std::vector<int32_t> order;
  const bool nested = std::any_of(calls.begin(), calls.end(),
                                  [](const CallRecord& call) { return call.outer >= 0; });
  if (!nested) return order;
  order.reserve(calls.size());
  AppendCalls(calls, -1, order);
  return order;
}

void OrderCalls(std::vector<CallRecord>& calls) {
  const std::vector<int32_t> order = CallOrder(calls);
  if (order.empty()) return;
  std::vector<int32_t> place(calls.size(), -1);
  for (size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<int32_t>(i);
  std::vector<CallRecord> ordered;
  ordered.reserve(order.size());
  for (const int32_t call : order) {
    CallRecord& record = ordered.emplace_back(std::move(calls[call]));
    if (record.outer >= 0) record.outer = place[record.outer];
  }
  calls = std::move(ordered);
}

int32_t OutermostStatement(const std::vector<CallRecord>& calls, size_t call) {
  while (calls[call].outer >= 0) call = static_cast<size_t>(calls[call].outer);
  return calls[call].statement;
}

}  // namespace twingrad::program
