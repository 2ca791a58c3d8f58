// No stream waits for what it need not.
//
// A node comes after the nodes that gave it its gradients, after the caller's work where it takes a
// seed, and after what its stream had waited for before: for sums of gradients that are made there,
// and for whatever user code asked for while a node was evaluated. Work that is ordered beyond that
// could have overlapped, unless it was done when the host looked, as it does before it takes memory
// anew. What is judged is the order itself, by what each stream knew when a node began: neither
// events nor who recorded them.
//
// Where nodes are evaluated on several threads, another thread may queue work, or a wait, on the
// giver's stream before the event is recorded there; the order that this brings is nobody's fault.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "autograd/program/region.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

using program::DeviceIndex;
using program::NodeStream;
using program::StreamStep;
using Kind = StreamStep::Kind;

constexpr std::string_view kOracle = "stream waits";
constexpr uint32_t kHost = 0;

template <typename T>
using Few = absl::InlinedVector<T, 2>;

// What streams knew of each other: a view of a KnownOrder.
class Table {
 public:
  explicit Table(const std::vector<uint64_t>& cells)
      : cells_(cells.data()),
        streams_(static_cast<uint32_t>(std::sqrt(static_cast<double>(cells.size())))),
        has_seen_(cells.size() > size_t{streams_} * streams_) {}
  uint32_t streams() const { return streams_; }
  // How much work of `other` comes before the next of `stream`, which the host queues.
  uint64_t Next(uint32_t stream, uint32_t other) const {
    return std::max(Cell(stream, other), Cell(kHost, other));
  }
  uint64_t Cell(uint32_t stream, uint32_t other) const {
    return stream < streams_ && other < streams_ ? cells_[stream * streams_ + other] : 0;
  }
  // How much work of the stream was done when the host looked.
  uint64_t Seen(uint32_t stream) const {
    return has_seen_ && stream < streams_ ? cells_[size_t{streams_} * streams_ + stream] : 0;
  }
  // How much work the stream has got.
  uint64_t Work(uint32_t stream) const { return Cell(stream, stream); }
  // How much of its work anyone knows of.
  uint64_t Most(uint32_t other) const {
    uint64_t most = 0;
    for (uint32_t stream = 0; stream < streams_; ++stream) {
      most = std::max(most, Cell(stream, other));
    }
    return most;
  }
  // Those that have got work, know of some or are known of, without the host.
  std::vector<uint32_t> Active() const {
    std::vector<bool> is_active(streams_, false);
    const uint64_t* cell = cells_;
    for (uint32_t stream = 0; stream < streams_; ++stream) {
      for (uint32_t other = 0; other < streams_; ++other) {
        if (*cell++ != 0) is_active[stream] = is_active[other] = true;
      }
    }
    std::vector<uint32_t> active;
    for (uint32_t stream = 1; stream < streams_; ++stream) {
      if (is_active[stream]) active.push_back(stream);
    }
    return active;
  }
  // Whether the two are of moments between which nothing changed.
  bool IsSameAs(const Table& other) const { return cells_ == other.cells_; }
  // Whether the stream knew the same of all streams at the moment of `other`.
  bool HasRowOf(const Table& other, uint32_t stream) const {
    return IsSameAs(other) ||
           (streams_ == other.streams_ && stream < streams_ &&
            std::equal(cells_ + stream * streams_ + 1, cells_ + (stream + 1) * streams_,
                       other.cells_ + stream * streams_ + 1));
  }

 private:
  const uint64_t* cells_;
  uint32_t streams_;
  bool has_seen_;
};

class WaitJudge {
 public:
  explicit WaitJudge(const Observation& observed)
      : calls_(observed.calls), start_(calls_.size()), given_(calls_.size()) {
    size_t steps = 0;
    for (const CallRecord& call : calls_) steps += call.stream_steps.size();
    moments_.reserve(steps);
    for (size_t call = 0; call < calls_.size(); ++call) {
      const CallRecord& record = calls_[call];
      const std::vector<Table> tables(record.stream_orders.begin(), record.stream_orders.end());
      for (const StreamStep& step : record.stream_steps) {
        moments_.push_back({&step, call, tables[step.known]});
      }
      if (!record.stream_steps.empty()) given_[call].resize(record.nodes.size());
    }
    // Where one thread evaluates all and no hook makes a call, they stand in their order.
    const auto number = [](const Moment& m) { return m.step->number; };
    if (!std::ranges::is_sorted(moments_, {}, number)) std::ranges::sort(moments_, {}, number);
    if (moments_.empty()) return;
    has_threads_ = std::ranges::any_of(
        moments_, [&](const Moment& m) { return m.step->thread != moments_.front().step->thread; });
    streams_ = moments_.back().table.streams();
    active_ = moments_.back().table.Active();
    const Table &first = moments_.front().table, &last = moments_.back().table;
    for (const uint32_t stream : active_) {
      if (first.Cell(kHost, stream) < last.Most(stream)) open_.push_back(stream);
    }
    allowed_.assign(size_t{streams_} * streams_, 0);
    worked_.resize(streams_);
    sums_.resize(streams_);
  }

  // What is wrong, or nothing.
  std::string Judge() {
    for (now_ = 0; now_ < moments_.size(); ++now_) {
      const Moment& moment = moments_[now_];
      if (now_ > 0 && has_threads_) NoteWork(moments_[now_ - 1].table, moment.table);
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
  // How many nodes on streams have begun.
  uint64_t judged() const { return judged_; }

 private:
  // The moments at which the evaluations of a thread began that are going on, the innermost last.
  struct Running {
    int thread;
    std::vector<size_t> begun;
  };
  struct Moment {
    const StreamStep* step;
    size_t call;
    Table table;
  };
  // What a stream may wait for: all that `stream` had got at a moment.
  struct Source {
    size_t moment;
    uint32_t stream;
  };
  // A gradient for an input of a node, and the moment at which the node ended that gave it.
  struct Gift {
    int32_t input_nr;
    size_t moment;
  };
  // The last moment before which a thread may have queued something on a stream.
  struct Worked {
    int thread;
    size_t moment;
  };
  // Where terms of a stream's sums came from, a stream and a thread, and since when.
  struct Sum {
    uint32_t giver;
    int thread;
    size_t first;
  };

  const StreamStep& StepAt(size_t moment) const { return *moments_[moment].step; }

  std::vector<size_t>& BegunOn(int thread) {
    const auto it = std::ranges::find(running_, thread, &Running::thread);
    return it != running_.end() ? it->begun : running_.emplace_back(Running{thread, {}}).begun;
  }

  void Allow(uint32_t stream, uint32_t other, uint64_t work) {
    if (stream >= streams_) return;
    uint64_t& allowed = allowed_[stream * streams_ + other];
    allowed = std::max(allowed, work);
  }
  // All that `known` has before the next work of `of`.
  void AllowNext(uint32_t stream, const Table& known, uint32_t of) {
    for (const uint32_t i : open_) Allow(stream, i, known.Next(of, i));
  }

  // Which threads may have queued the work, and the waits, that came between two moments.
  void NoteWork(const Table& before, const Table& after) {
    if (after.IsSameAs(before)) return;
    for (const uint32_t stream : active_) {
      if (!HasGained(before, after, stream)) continue;
      for (const Running& running : running_) {
        if (!running.begun.empty()) NoteWorkOf(running.thread, worked_[stream]);
      }
    }
  }
  // Whether the stream has got work, or waits for more.
  bool HasGained(const Table& before, const Table& after, uint32_t stream) const {
    return !after.HasRowOf(before, stream) && std::ranges::any_of(active_, [&](uint32_t other) {
      return after.Cell(stream, other) != before.Cell(stream, other);
    });
  }
  void NoteWorkOf(int thread, Few<Worked>& worked) const {
    const auto it = std::ranges::find(worked, thread, &Worked::thread);
    if (it != worked.end()) {
      it->moment = now_;
    } else {
      worked.push_back({thread, now_});
    }
  }

  // Another thread has queued something on the stream since then, and may have done so before the
  // event was recorded.
  bool IsUnsettled(const Source& source) const {
    return source.stream < streams_ &&
           std::ranges::any_of(worked_[source.stream], [&](const Worked& last) {
             return last.thread != StepAt(source.moment).thread && last.moment > source.moment;
           });
  }
  void AllowIfUnsettled(uint32_t stream, const Source& source) {
    if (IsUnsettled(source)) AllowNext(stream, moments_[now_].table, source.stream);
  }
  void AllowSource(uint32_t stream, const Source& source) {
    AllowNext(stream, moments_[source.moment].table, source.stream);
    AllowIfUnsettled(stream, source);
  }

  // What the streams have come to know while a node is evaluated is for user code to answer for.
  void AllowGains(const Table& since, const Table& until) {
    if (until.IsSameAs(since)) return;
    if (!until.HasRowOf(since, kHost)) {  // then all streams have, those without work too
      for (uint32_t stream = 1; stream < until.streams(); ++stream) {
        AllowGain(since, until, stream);
      }
      return;
    }
    for (const uint32_t stream : active_) {
      if (!until.HasRowOf(since, stream)) AllowGain(since, until, stream);
    }
  }
  void AllowGain(const Table& since, const Table& until, uint32_t stream) {
    for (const uint32_t other : open_) {
      const uint64_t work = until.Next(stream, other);
      if (work > since.Next(stream, other)) Allow(stream, other, work);
    }
  }

  void OnCall(const Moment& moment) {
    start_[moment.call] = now_;
    const std::vector<size_t>& begun = BegunOn(moment.step->thread);
    AllowGains(begun.empty() ? Table({}) : moments_[begun.back()].table, moment.table);
  }

  void OnEnd(const Moment& moment) {
    const StreamStep& step = *moment.step;
    std::vector<size_t>& begun = BegunOn(step.thread);
    if (begun.empty()) return;
    AllowGains(moments_[begun.back()].table, moment.table);
    begun.pop_back();
    if (step.node < 0) return;
    for (const EdgeRecord& edge : calls_[moment.call].nodes[step.node].next_edges) {
      if (edge.node >= 0) Give(moment.call, edge);
    }
  }

  // From the second gradient for one input on, there is a sum.
  void Give(size_t call, const EdgeRecord& edge) {
    Few<Gift>& given = given_[call][edge.node];
    const auto before = std::ranges::count(given, edge.input_nr, &Gift::input_nr);
    if (before == 1) {
      const auto first = std::ranges::find(given, edge.input_nr, &Gift::input_nr);
      AddSourceOfSum(StreamOf(call, edge.node), first->moment);
    }
    if (before >= 1) AddSourceOfSum(StreamOf(call, edge.node), now_);
    given.push_back({edge.input_nr, now_});
  }

  // A sum is made on the stream of the node that takes it, or on the current one if it is not on
  // the node's device.
  void AddSourceOfSum(const NodeStream& taker, size_t moment) {
    const StreamStep& giver = StepAt(moment);
    for (size_t device = 0; device < giver.current.size(); ++device) {
      const bool is_takers = taker.device == static_cast<DeviceIndex>(device);
      const uint32_t stream = is_takers ? taker.stream : StepAt(now_).current[device];
      AllowSource(stream, {moment, giver.current[device]});
      if (stream < streams_) NoteSum({giver.current[device], giver.thread, moment}, sums_[stream]);
    }
  }
  static void NoteSum(const Sum& sum, Few<Sum>& sums) {
    const bool is_known = std::ranges::any_of(sums, [&](const Sum& other) {
      return other.giver == sum.giver && other.thread == sum.thread;
    });
    if (!is_known) sums.push_back(sum);
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
      ++judged_;
      AllowTaken(moment, self);
      AllowOtherThreads(moment, self.stream);
      wrong = ExcessOf(moment, self.stream);
    }
    BegunOn(step.thread).push_back(now_);
    return wrong;
  }

  void AllowTaken(const Moment& moment, const NodeStream& self) {
    const StreamStep& step = *moment.step;
    if (TakesSeed(moment.call, step.node)) {
      const size_t start = start_[moment.call];
      AllowSource(self.stream, {start, StepAt(start).current[self.device]});
    }
    for (const Gift& gift : given_[moment.call][step.node]) {
      AllowSource(self.stream, {gift.moment, StepAt(gift.moment).current[self.device]});
      // Of one on another device, which may have given nothing.
      const NodeStream own = StreamOf(moments_[gift.moment].call, StepAt(gift.moment).node);
      if (own.device != program::kCpu) AllowSource(self.stream, {gift.moment, own.stream});
    }
    if (self.stream >= streams_) return;
    for (const Sum& sum : sums_[self.stream]) AllowIfUnsettled(self.stream, {sum.first, sum.giver});
  }

  // What the node of another thread is doing at the moment.
  void AllowOtherThreads(const Moment& moment, uint32_t stream) {
    for (const Running& running : running_) {
      if (running.thread == moment.step->thread || running.begun.empty()) continue;
      AllowNext(stream, moment.table, kHost);
      const auto& current = StepAt(running.begun.back()).current;
      if (std::ranges::find(current, stream) != current.end()) {
        AllowNext(stream, moment.table, stream);
      }
    }
  }

  std::string ExcessOf(const Moment& moment, uint32_t stream) {
    if (stream >= streams_) return "";
    for (const uint32_t other : open_) {
      const uint64_t work = moment.table.Next(stream, other);
      const uint64_t allowed =
          std::max(allowed_[stream * streams_ + other], moment.table.Seen(other));
      if (other != stream && work > allowed) {
        return ExcessText(moment, WorkBetween(other, allowed, work));
      }
    }
    AllowNext(stream, moment.table, stream);
    return "";
  }

  std::string ExcessText(const Moment& moment, const std::string& excess) const {
    const CallRecord& call = calls_[moment.call];
    return absl::StrCat(
        "streams: a node waits for work that it need not wait for\n",
        ExpectedText(absl::StrCat(NodeText(call.nodes[moment.step->node].name),
                                  ", in the call of statement ", call.statement,
                                  ", comes after what it takes and what its stream waited for "
                                  "before"),
                     absl::StrCat("it comes after ", excess, " as well")));
  }

  // The first node that did work there beyond `from`.
  std::string WorkBetween(uint32_t stream, uint64_t from, uint64_t to) const {
    for (size_t i = 0; i < now_; ++i) {
      const StreamStep& step = StepAt(i);
      if (step.kind != Kind::kEnd || step.node < 0) continue;
      const uint64_t work = moments_[i].table.Work(stream);
      if (work <= from) continue;
      if (work > to || StreamOf(moments_[i].call, step.node).stream != stream) break;
      return NodeText(calls_[moments_[i].call].nodes[step.node].name);
    }
    return "other work";
  }

  const std::vector<CallRecord>& calls_;
  std::vector<Moment> moments_;   // in their order
  bool has_threads_ = false;      // several, one of which may queue what another knows nothing of
  std::vector<uint32_t> active_;  // streams: clocks only grow, so those of the last moment
  // Of them, those with work that the host did not know to be done at the first moment. All work of
  // the others comes before whatever is queued later, so that nobody can wait for it in excess.
  std::vector<uint32_t> open_;
  uint64_t judged_ = 0;  // nodes
  size_t now_ = 0;       // index of the moment that is looked at
  std::vector<Running> running_;
  std::vector<size_t> start_;  // of each call, its moment
  // By call and node.
  std::vector<std::vector<Few<Gift>>> given_;
  uint32_t streams_ = 0;             // with the host, at the last moment
  std::vector<Few<Sum>> sums_;       // by stream
  std::vector<Few<Worked>> worked_;  // by stream
  // By stream, what its next work may come after: of each stream, how much.
  std::vector<uint64_t> allowed_;
};

}  // namespace

Verdict JudgeStreamWaits(const Program& program, const Observation& observed) {
  const bool is_watched = std::ranges::any_of(
      observed.calls, [](const CallRecord& call) { return !call.stream_steps.empty(); });
  if (!is_watched || HasSections(program)) return Agree(kOracle);
  WaitJudge judge(observed);
  std::string wrong = judge.Judge();
  Compared compared;
  compared.waits = judge.judged();
  if (wrong.empty()) return Agree(kOracle, compared);
  compared.needless_waits = 1;  // the first ends the comparison
  Verdict verdict = Disagree(kOracle, std::move(wrong), {});
  verdict.compared = compared;
  return verdict;
}

}  // namespace twingrad::oracles
