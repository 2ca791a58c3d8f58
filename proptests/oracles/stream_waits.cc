// No stream waits for what it need not.
//
// A node comes after the nodes that gave it its gradients, after the caller's work where it takes a
// seed, and after what its stream had waited for before: for sums of gradients that are made there,
// and for whatever user code asked for while a node was evaluated. Work that is ordered beyond that
// could have overlapped. What is judged is the order itself, by what each stream knew when a node
// began: neither events nor who recorded them.
//
// Where nodes are evaluated on several threads, another thread may queue work on the giver's stream
// before the event is recorded there; the order that this brings is nobody's fault.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/program/analyze.h"
#include "autograd/program/region.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

using program::DeviceIndex;
using program::NodeStream;
using program::StreamStep;
using Kind = StreamStep::Kind;
using Clock = std::vector<uint64_t>;

constexpr std::string_view kOracle = "stream waits";
constexpr uint32_t kHost = 0;

uint64_t At(const Clock& clock, size_t stream) { return stream < clock.size() ? clock[stream] : 0; }

const Clock& RowOf(const StreamStep& step, uint32_t stream) {
  static const Clock kNothing;
  return stream < step.known.size() ? step.known[stream] : kNothing;
}

// How much work the stream has got.
uint64_t WorkOf(const StreamStep& step, uint32_t stream) { return At(RowOf(step, stream), stream); }

void JoinInto(Clock& clock, const Clock& other) {
  if (clock.size() < other.size()) clock.resize(other.size(), 0);
  for (size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

// What the stream's next work comes after: the host queues it.
Clock NextOn(const StreamStep& step, uint32_t stream) {
  Clock clock = RowOf(step, stream);
  JoinInto(clock, RowOf(step, kHost));
  return clock;
}

class WaitJudge {
 public:
  explicit WaitJudge(const Observation& observed) : calls_(observed.calls) {
    for (size_t call = 0; call < calls_.size(); ++call) {
      for (const StreamStep& step : calls_[call].stream_steps) moments_.push_back({&step, call});
    }
    std::ranges::sort(moments_, {}, [](const Moment& m) { return m.step->number; });
  }

  // What is wrong, or nothing.
  std::string Judge() {
    for (now_ = 0; now_ < moments_.size(); ++now_) {
      Moment& moment = moments_[now_];
      moment.running = running_;
      switch (moment.step->kind) {
        case Kind::kCall:
          OnCall(moment);
          break;
        case Kind::kBegin:
          if (std::string wrong = OnBegin(moment); !wrong.empty()) return wrong;
          break;
        case Kind::kEnd:
          OnEnd(moment);
          break;
      }
    }
    return "";
  }

 private:
  // By thread, the moments at which the evaluations began that are going on, the innermost last.
  using Running = std::map<int, std::vector<size_t>>;
  struct Moment {
    const StreamStep* step;
    size_t call;
    Running running = {};  // before it
  };
  // What a stream may wait for: all that `stream` had got at a moment.
  struct Source {
    size_t moment;
    uint32_t stream;
    bool operator==(const Source&) const = default;
  };
  struct Contribution {
    int32_t input_nr;
    size_t moment;
  };

  const StreamStep& StepAt(size_t moment) const { return *moments_[moment].step; }

  void Allow(uint32_t stream, const Clock& clock) { JoinInto(allowed_[stream], clock); }

  // Another thread has queued work on the stream since then, and may have done so before the event
  // was recorded.
  bool IsUnsettled(const Source& source) const {
    const int thread = StepAt(source.moment).thread;
    for (size_t i = source.moment + 1; i <= now_; ++i) {
      if (WorkOf(StepAt(i), source.stream) == WorkOf(StepAt(i - 1), source.stream)) continue;
      for (const auto& [other, begun] : moments_[i].running) {
        if (other != thread && !begun.empty()) return true;
      }
    }
    return false;
  }
  void AllowSource(uint32_t stream, const Source& source) {
    Allow(stream, NextOn(StepAt(source.moment), source.stream));
    if (IsUnsettled(source)) Allow(stream, NextOn(StepAt(now_), source.stream));
  }

  // What the streams have come to know while a node is evaluated is for user code to answer for.
  void AllowGains(const StreamStep& since, const StreamStep& until) {
    for (uint32_t stream = 1; stream < until.known.size(); ++stream) {
      const Clock before = NextOn(since, stream);
      Clock gained = NextOn(until, stream);
      for (size_t i = 0; i < gained.size(); ++i) {
        if (gained[i] == At(before, i)) gained[i] = 0;
      }
      Allow(stream, gained);
    }
  }

  void OnCall(const Moment& moment) {
    const StreamStep& step = *moment.step;
    start_[moment.call] = now_;
    const std::vector<size_t>& begun = running_[step.thread];
    AllowGains(begun.empty() ? StreamStep() : StepAt(begun.back()), step);
  }

  void OnEnd(const Moment& moment) {
    const StreamStep& step = *moment.step;
    std::vector<size_t>& begun = running_[step.thread];
    if (begun.empty()) return;
    AllowGains(StepAt(begun.back()), step);
    begun.pop_back();
    if (step.node < 0) return;
    for (const EdgeRecord& edge : calls_[moment.call].nodes[step.node].next_edges) {
      if (edge.node >= 0) Give(moment.call, edge);
    }
  }

  // From the second gradient for one input on, there is a sum.
  void Give(size_t call, const EdgeRecord& edge) {
    std::vector<Contribution>& given = given_[{call, edge.node}];
    given.push_back({edge.input_nr, now_});
    const auto is_same = [&](const Contribution& c) { return c.input_nr == edge.input_nr; };
    if (std::ranges::count_if(given, is_same) < 2) return;
    for (const Contribution& contribution : given) {
      if (is_same(contribution)) AddSourceOfSum(StreamOf(call, edge.node), contribution.moment);
    }
  }

  // A sum is made on the stream of the node that takes it, or on the current one if it is not on
  // the node's device.
  void AddSourceOfSum(const NodeStream& taker, size_t moment) {
    const std::vector<uint32_t>& given_on = StepAt(moment).current;
    for (size_t device = 0; device < given_on.size(); ++device) {
      const bool is_takers = taker.device == static_cast<DeviceIndex>(device);
      const uint32_t stream = is_takers ? taker.stream : StepAt(now_).current[device];
      std::vector<Source>& sources = sums_[stream];
      const Source source{moment, given_on[device]};
      if (std::ranges::find(sources, source) == sources.end()) sources.push_back(source);
    }
  }

  NodeStream StreamOf(size_t call, int32_t node) const {
    const std::vector<NodeStream>& streams = calls_[call].node_streams;
    return static_cast<size_t>(node) < streams.size() ? streams[node] : NodeStream();
  }

  bool TakesSeed(size_t call, int32_t node) const {
    const CallRecord& record = calls_[call];
    return record.nodes[node].name.role == NodeRole::kGraphRoot ||
           std::ranges::any_of(record.roots, [&](const EdgeRecord& e) { return e.node == node; });
  }

  std::string OnBegin(const Moment& moment) {
    const StreamStep& step = *moment.step;
    const NodeStream self = step.node < 0 ? NodeStream() : StreamOf(moment.call, step.node);
    std::string wrong;
    if (self.device != program::kCpu) {
      AllowTaken(moment, self);
      AllowOtherThreads(step, self.stream);
      wrong = ExcessOf(moment, self.stream);
    }
    running_[step.thread].push_back(now_);
    return wrong;
  }

  void AllowTaken(const Moment& moment, const NodeStream& self) {
    const StreamStep& step = *moment.step;
    if (TakesSeed(moment.call, step.node)) {
      const size_t start = start_[moment.call];
      AllowSource(self.stream, {start, StepAt(start).current[self.device]});
    }
    for (const Contribution& given : given_[{moment.call, step.node}]) {
      AllowSource(self.stream, {given.moment, StepAt(given.moment).current[self.device]});
    }
    for (const Source& source : sums_[self.stream]) AllowSource(self.stream, source);
  }

  // What the node of another thread is doing at the moment.
  void AllowOtherThreads(const StreamStep& step, uint32_t stream) {
    for (const auto& [thread, begun] : running_) {
      if (thread == step.thread || begun.empty()) continue;
      Allow(stream, RowOf(step, kHost));
      const std::vector<uint32_t>& current = StepAt(begun.back()).current;
      if (std::ranges::find(current, stream) != current.end()) Allow(stream, RowOf(step, stream));
    }
  }

  std::string ExcessOf(const Moment& moment, uint32_t stream) {
    const Clock comes_after = NextOn(*moment.step, stream);
    const Clock& allowed = allowed_[stream];
    for (uint32_t other = 1; other < comes_after.size(); ++other) {
      if (other == stream || comes_after[other] <= At(allowed, other)) continue;
      const CallRecord& call = calls_[moment.call];
      return absl::StrCat(
          "streams: a node waits for work that it need not wait for\n",
          ExpectedText(absl::StrCat(NodeText(call.nodes[moment.step->node].name),
                                    ", in the call of statement ", call.statement,
                                    ", comes after what it takes and what its stream waited for "
                                    "before"),
                       absl::StrCat("it comes after ",
                                    WorkBetween(other, At(allowed, other), comes_after[other]),
                                    " as well")));
    }
    Allow(stream, comes_after);
    return "";
  }

  // The first node that did work there beyond `from`.
  std::string WorkBetween(uint32_t stream, uint64_t from, uint64_t to) const {
    for (size_t i = 0; i < now_; ++i) {
      const StreamStep& step = StepAt(i);
      if (step.kind != Kind::kEnd || step.node < 0) continue;
      const uint64_t work = WorkOf(step, stream);
      if (work <= from) continue;
      if (work > to || StreamOf(moments_[i].call, step.node).stream != stream) break;
      return NodeText(calls_[moments_[i].call].nodes[step.node].name);
    }
    return "other work";
  }

  const std::vector<CallRecord>& calls_;
  std::vector<Moment> moments_;  // in their order
  size_t now_ = 0;               // index of the moment that is looked at
  Running running_;
  std::map<size_t, size_t> start_;  // of each call, its moment
  std::map<std::pair<size_t, int32_t>, std::vector<Contribution>> given_;  // by call and node
  std::map<uint32_t, std::vector<Source>> sums_;                           // by stream
  std::map<uint32_t, Clock> allowed_;  // by stream: what its next work may come after
};

}  // namespace

Verdict JudgeStreamWaits(const Program& program, const Observation& observed) {
  if (program::DevicesOf(program) == 0 || HasSections(program)) return Agree(kOracle);
  std::string wrong = WaitJudge(observed).Judge();
  if (wrong.empty()) return Agree(kOracle);
  return Disagree(kOracle, std::move(wrong), {});
}

}  // namespace twingrad::oracles
