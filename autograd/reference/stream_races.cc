// The statements of a Program on their streams. See stream_races.h.

#include "autograd/reference/stream_races.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "autograd/program/analyze.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/limits.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"
#include "autograd/program/walk.h"
#include "autograd/reference/stream_clocks.h"
#include "autograd/reference/stream_visits.h"

namespace twingrad::reference {
namespace {

using program::Category;
using program::DeviceIndex;
using program::ErrorRecord;
using program::Key;
using program::Opcode;
using program::RegionKind;
using program::Statement;
using program::ValueId;
using program::ValueInfo;
using Stream = StreamClocks::Stream;

// Which of the two answers: what is in order if calls order nothing, or all that they may.
enum World { kLeast, kMost };

class RaceWalk final : public program::StatementRunner {
 public:
  RaceWalk(const program::Program& program, const std::vector<ValueInfo>& values,
           const Failures& failures)
      : program_(program), values_(values), failures_(failures), visits_(2 * values.size()) {}

  StreamRaces Take() { return std::move(races_); }

  bool BeforeStatement(int32_t index) override {
    at_ = index;
    return true;
  }
  std::optional<ErrorRecord> RunStatement(int32_t index) override {
    const bool survives = std::ranges::count(failures_.survived, index) > 0;
    fails_ = survives || index == failures_.last;
    Run(program_.statements[index]);
    if (!fails_) return std::nullopt;
    return ErrorRecord{survives ? ErrorKind::kInvalidArgument : ErrorKind::kInternal, index, ""};
  }
  bool IsSurvivable(ErrorKind error) const override { return error != ErrorKind::kInternal; }
  std::optional<ErrorRecord> EnterRegion(int32_t, RegionKind) override { return std::nullopt; }
  void LeaveRegion(int32_t, RegionKind) override {}
  bool grad_mode() const override { return grad_mode_; }
  void set_grad_mode(bool enabled) override { grad_mode_ = enabled; }

 private:
  // What the node of a statement may read, and where; the host: on the caller's stream.
  struct Recorded {
    Stream stream;
    DeviceIndex device;
    size_t memory;
    auto operator<=>(const Recorded&) const = default;
  };

  void Run(const Statement& statement) {
    switch (program::SignatureOf(statement.op).category) {
      case Category::kLeaf:
        return Write(statement.results[0], CurrentOf(statement.results[0]), true);
      case Category::kView:
        // A reshape may have to copy.
        if (statement.op == Opcode::kReshape) Compute(statement, false, false);
        return;
      case Category::kGradient:
        return Gradient(statement);
      case Category::kCall:
        return Call(statement);
      case Category::kCustom:
        return Compute(statement, statement.op == Opcode::kCustomInPlace, false);
      case Category::kStream:
        return Order(statement);
      case Category::kHook:
      case Category::kRegion:
      case Category::kExpect:
        return;
      default:
        break;
    }
    if (statement.op == Opcode::kDetach) return;
    if (statement.op == Opcode::kTo) return Copy(statement.operands[0], statement.results[0]);
    const bool in_place = program::SignatureOf(statement.op).category == Category::kInPlace;
    Compute(statement, in_place, true);
  }

  // What has an empty operand need not look at the others.
  void Compute(const Statement& statement, bool in_place, bool is_certain) {
    for (const ValueId operand : statement.operands) is_certain = is_certain && !IsEmpty(operand);
    for (const ValueId operand : statement.operands) Read(operand, CurrentOf(operand), is_certain);
    if (in_place) Write(statement.operands[0], CurrentOf(statement.operands[0]), is_certain);
    for (const ValueId result : statement.results) Write(result, CurrentOf(result), is_certain);
  }

  // Between devices it is work of the source's stream: after what the target's has got, and before
  // what that gets next.
  void Copy(ValueId source, ValueId target) {
    const Stream from = CurrentOf(source);
    const Stream to = CurrentOf(target);
    const bool both = DeviceOf(source) != program::kCpu && DeviceOf(target) != program::kCpu;
    if (both) WaitFor(from, to);
    Read(source, from, true);
    Write(target, both ? from : to, true);
    if (DeviceOf(source) != program::kCpu) WaitFor(to, from);  // `to` is the host on the cpu
    Record(target, to);
  }

  void Gradient(const Statement& statement) {
    const ValueId value = statement.operands[0];
    const Stream stream = CurrentOf(value);
    if (statement.op == Opcode::kSetGrad) {
      Read(statement.operands[1], CurrentOf(statement.operands[1]), false);
      Touch(MemoryOfGrad(value), stream, true, false);
    } else if (statement.op == Opcode::kReadGrad) {
      Touch(MemoryOfGrad(value), stream, false, false);
      Write(statement.results[0], stream, false);
    }
  }

  void Call(const Statement& statement) {
    for (const Recorded& node : recorded_) LookAt(node);
    if (const auto* seeds = statement.Find(Key::kSeeds)) {
      for (const ValueId seed : std::get<std::vector<ValueId>>(*seeds)) {
        if (seed != program::kNoValue) Read(seed, CurrentOf(seed), false);
      }
    }
    // To the caller it is work of the current streams.
    for (size_t id = 0; id < values_.size() && values_[id].statement < at_; ++id) {
      const auto value = static_cast<ValueId>(id);
      Touch(MemoryOfGrad(value), CurrentOf(value), true, false);
    }
    for (const Recorded& node : recorded_) {
      const Stream callers = Current(node.device);
      visits_[node.memory].Add(
          {at_, callers, clocks_[kLeast].Known(callers, callers), false, false});
    }
    // Those streams at least are the call's.
    for (const auto& [device, stream] : current_) {
      for (StreamClocks& clocks : clocks_) clocks.Work(stream);
    }
    for (const ValueId result : statement.results) Write(result, CurrentOf(result), true);
    clocks_[kMost].WaitForAll(/*host_waits=*/KnowsCpu());
  }
  // Copies to the cpu make the host wait.
  bool KnowsCpu() const {
    return std::ranges::any_of(values_, [this](const ValueInfo& value) {
      return value.statement <= at_ && value.device == program::kCpu;
    });
  }

  // A node comes after its forward statement and the caller's work; on other devices after that.
  void LookAt(const Recorded& node) {
    const Stream callers = Current(node.device);
    visits_[node.memory].ForConflicts(/*is_write=*/false, [&](const StreamVisit& visit) {
      const bool is_after = Knows(kLeast, node.stream, visit) || Knows(kLeast, callers, visit);
      if (!is_after) races_.possible.insert({at_, visit.statement});
    });
  }

  void Order(const Statement& statement) {
    const auto device = static_cast<DeviceIndex>(statement.Get<int64_t>(Key::kDevice));
    const auto id = statement.Get<std::string>(Key::kId);
    if (statement.op == Opcode::kStream) {
      const auto [it, is_new] = streams_.try_emplace({device, id}, num_streams_);
      if (is_new) ++num_streams_;
      if (statement.Get<bool>(Key::kWaits)) WaitFor(it->second, Current(device));
      current_.insert_or_assign(device, it->second);
    } else if (statement.op == Opcode::kRecordEvent) {
      for (const World world : {kLeast, kMost}) {
        events_[id][world] = clocks_[world].Known(Current(device));
      }
    } else if (const auto event = events_.find(id); event != events_.end()) {
      for (const World world : {kLeast, kMost}) {
        clocks_[world].Wait(Current(device), event->second[world]);
      }
    }
  }

  void Read(ValueId value, Stream stream, bool is_certain) {
    Touch(MemoryOf(value), stream, false, is_certain && IsWhole(value));
    Record(value, stream);
  }
  void Write(ValueId value, Stream stream, bool is_certain) {
    Touch(MemoryOf(value), stream, true, is_certain && IsWhole(value));
    Record(value, stream);
  }
  void Record(ValueId value, Stream stream) {
    if (DeviceOf(value) == program::kCpu) return;
    if (!IsOnStreamOfNode(value)) stream = StreamClocks::kHost;
    recorded_.insert({stream, DeviceOf(value), MemoryOf(value)});
  }
  // A node has one, of the first device where it gets a gradient; custom ones alone use several.
  bool IsOnStreamOfNode(ValueId value) const {
    const Statement& statement = program_.statements[at_];
    if (statement.op == Opcode::kCustomInPlace) return IsBeside(value, statement.operands[0]);
    if (statement.op != Opcode::kCustom) return true;
    const auto first = std::ranges::find_if(statement.results, [this](ValueId result) {
      return IsFloating(values_[result].type.dtype) && DeviceOf(result) != program::kCpu;
    });
    return first != statement.results.end() && IsBeside(value, *first);
  }

  // Memory of the cpu is no stream's.
  void Touch(size_t memory, Stream stream, bool is_write, bool is_certain) {
    if (stream == StreamClocks::kHost) return;
    is_certain = is_certain && !fails_;
    const uint32_t number = clocks_[kLeast].Work(stream);
    clocks_[kMost].Work(stream);
    visits_[memory].ForConflicts(is_write, [&](const StreamVisit& visit) {
      if (!Knows(kLeast, stream, visit)) races_.possible.insert({at_, visit.statement});
      if (is_certain && visit.is_certain && !Knows(kMost, stream, visit)) {
        races_.certain.insert(at_);
      }
    });
    visits_[memory].Add({at_, stream, number, is_write, is_certain});
  }
  bool Knows(World world, Stream stream, const StreamVisit& visit) const {
    return clocks_[world].Known(stream, visit.stream) >= visit.number;
  }
  void WaitFor(Stream later, Stream earlier) {
    for (StreamClocks& clocks : clocks_) clocks.Wait(later, clocks.Known(earlier));
  }

  DeviceIndex DeviceOf(ValueId value) const { return values_[value].device; }
  bool IsBeside(ValueId a, ValueId b) const { return DeviceOf(a) == DeviceOf(b); }
  Stream Current(DeviceIndex device) const {
    if (device == program::kCpu) return StreamClocks::kHost;
    const auto it = current_.find(device);
    return it == current_.end() ? static_cast<Stream>(device) + 1 : it->second;
  }
  Stream CurrentOf(ValueId value) const { return Current(DeviceOf(value)); }
  size_t MemoryOf(ValueId value) const { return static_cast<size_t>(values_[value].storage); }
  size_t MemoryOfGrad(ValueId value) const { return values_.size() + static_cast<size_t>(value); }
  // Of others it is not known which part of the memory they are.
  bool IsWhole(ValueId value) const { return values_[value].storage == value && !IsEmpty(value); }
  bool IsEmpty(ValueId value) const { return program::NumElements(values_[value].type.shape) == 0; }

  const program::Program& program_;
  const std::vector<ValueInfo>& values_;
  const Failures& failures_;
  StreamRaces races_;
  int32_t at_ = -1;
  bool fails_ = false;
  bool grad_mode_ = true;
  std::array<StreamClocks, 2> clocks_;  // by World
  // The default streams of devices come after the host.
  Stream num_streams_ = 1 + program::kMaxDevices;
  std::map<std::pair<DeviceIndex, std::string>, Stream> streams_;
  std::map<DeviceIndex, Stream> current_;
  std::map<std::string, std::array<StreamClocks::Row, 2>> events_;
  std::vector<StreamVisits> visits_;  // by memory: of values, then of their .grads
  std::set<Recorded> recorded_;
};

}  // namespace

Failures FailuresOf(const program::Observation& observed) {
  Failures failures;
  for (const ErrorRecord& error : observed.survived) failures.survived.push_back(error.statement);
  if (observed.error) failures.last = observed.error->statement;
  return failures;
}

StreamRaces FindStreamRaces(const program::Program& program, const Failures& failures) {
  const auto analysis = program::Analyze(program);
  if (!analysis.ok() || HasSections(program)) {
    StreamRaces unknown;
    unknown.known = false;
    return unknown;
  }
  RaceWalk walk(program, analysis->values, failures);
  program::Observation scratch;
  program::Walk(program, walk, scratch);
  return walk.Take();
}

}  // namespace twingrad::reference
