#include "autograd/inspect/trace.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autograd/sync/thread_local.h"

namespace twingrad {
namespace {

// Its address tells threads apart.
AG_THREAD_LOCAL(char, ThreadMark);

double Microseconds(sync::Duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

std::string Json(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&quoted, "\\u%04x", c);
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

double NodeCost::mean_us() const {
  return count == 0 ? 0 : Microseconds(total) / static_cast<double>(count);
}

Trace::Trace() : start_(sync::Now()) {}

void Trace::OnEvaluate(const Evaluation& evaluation, bool applied) {
  sync::MutexLock lock(mutex_);
  ThreadLog& log = threads_[&ThreadMark()];
  if (log.number == 0) log.number = static_cast<int>(threads_.size());
  Event& event = log.running.emplace_back();
  event.name = evaluation.node.name();
  event.task = evaluation.task;
  event.sequence_nr = evaluation.node.sequence_nr();
  event.thread = log.number;
  event.applied = applied;
  event.begin = sync::Now();  // last: what precedes it is not the node's
}

void Trace::OnEvaluated(const Evaluation&) {
  const sync::TimePoint now = sync::Now();
  sync::MutexLock lock(mutex_);
  std::vector<Event>& running = threads_[&ThreadMark()].running;
  if (running.empty()) return;  // it began before this observer came
  Event event = std::move(running.back());
  running.pop_back();
  event.duration = now - event.begin;
  if (!running.empty()) running.back().nested += event.duration;
  ended_.push_back(std::move(event));
}

void Trace::Clear() {
  sync::MutexLock lock(mutex_);
  ended_.clear();
}

std::vector<NodeCost> Trace::Costs() const {
  std::map<std::string, NodeCost> by_name;
  {
    sync::MutexLock lock(mutex_);
    for (const Event& event : ended_) {
      NodeCost& cost = by_name[event.name];
      ++cost.count;
      cost.total += event.duration - event.nested;
    }
  }
  std::vector<NodeCost> costs;
  for (auto& [name, cost] : by_name) {
    cost.name = name;
    costs.push_back(std::move(cost));
  }
  std::stable_sort(costs.begin(), costs.end(),
                   [](const NodeCost& a, const NodeCost& b) { return a.total > b.total; });
  return costs;
}

std::string Trace::CostTable() const {
  const std::vector<NodeCost> costs = Costs();
  sync::Duration all{0};
  size_t width = 4;
  for (const NodeCost& cost : costs) {
    all += cost.total;
    width = std::max(width, cost.name.size());
  }
  std::string table = absl::StrFormat("%-*s %9s %12s %10s %6s\n", static_cast<int>(width), "node",
                                      "count", "total us", "mean us", "share");
  for (const NodeCost& cost : costs) {
    const double share = all.count() == 0 ? 0 : 100 * Microseconds(cost.total) / Microseconds(all);
    absl::StrAppendFormat(&table, "%-*s %9d %12.3f %10.3f %5.1f%%\n", static_cast<int>(width),
                          cost.name, cost.count, Microseconds(cost.total), cost.mean_us(), share);
  }
  return table;
}

std::string Trace::ChromeJson() const {
  std::string json = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  sync::MutexLock lock(mutex_);
  const char* separator = "\n";
  for (const Event& event : ended_) {
    absl::StrAppend(&json, separator, "{\"name\":", Json(event.name), ",\"cat\":\"",
                    event.applied ? "node" : "capture",
                    "\",\"ph\":\"X\",\"pid\":1,\"tid\":", event.thread);
    absl::StrAppendFormat(&json,
                          ",\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"task\":%d,\"sequence_nr\":%d}}",
                          Microseconds(event.begin - start_), Microseconds(event.duration),
                          event.task, event.sequence_nr);
    separator = ",\n";
  }
  return json + "\n]}\n";
}

}  // namespace twingrad
