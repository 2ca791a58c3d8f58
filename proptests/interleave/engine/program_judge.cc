#include "proptests/interleave/engine/program_judge.h"

#include <utility>

#include "proptests/oracles/counts.h"
#include "proptests/oracles/determinism.h"
#include "proptests/oracles/errors.h"
#include "proptests/oracles/evidence.h"
#include "proptests/oracles/gradient_type.h"
#include "proptests/oracles/hooks.h"
#include "proptests/oracles/order.h"
#include "proptests/oracles/twin.h"

namespace twingrad::interleave {

using oracles::Evidence;
using oracles::Verdict;
using twingrad::ErrorKind;
using twingrad::program::CallRecord;
using twingrad::program::EdgeRecord;
using twingrad::program::ErrorRecord;
using twingrad::program::NodeRecord;
using twingrad::program::Observation;
using twingrad::program::Program;
using twingrad::program::TensorData;
using twingrad::program::ValueRecord;

namespace {

// Mixes numbers into 64 bits, the same in every process.
class Mixer {
 public:
  void Add(uint64_t number) {
    state_ = (state_ ^ number) * 0x9e3779b97f4a7c15u;
    state_ ^= state_ >> 29;
  }
  void Add(const TensorData& data) {
    Add(static_cast<uint64_t>(data.dtype));
    AddAll(data.shape);
    AddAll(data.bits);
  }
  void Add(const EdgeRecord& edge) {
    Add(static_cast<uint64_t>(edge.node) << 32 ^ static_cast<uint32_t>(edge.input_nr));
  }
  template <class List>
  void AddAll(const List& list) {
    Add(list.size());
    for (const auto& item : list) Add(static_cast<uint64_t>(item));
  }
  uint64_t state() const { return state_; }

 private:
  uint64_t state_ = 0xcbf29ce484222325u;
};

void AddError(Mixer& mixer, const ErrorRecord& error) {
  mixer.Add(static_cast<uint64_t>(error.error));
  mixer.Add(static_cast<uint64_t>(error.statement));
}

void AddValue(Mixer& mixer, const ValueRecord& value) {
  mixer.Add((value.defined ? 1u : 0u) | (value.requires_grad ? 2u : 0u) |
            (value.grad_defined ? 4u : 0u) | uint64_t{value.version} << 3);
  if (value.defined) mixer.Add(value.data);
  if (value.grad_defined) mixer.Add(value.grad);
}

void AddNode(Mixer& mixer, const NodeRecord& node) {
  mixer.Add(static_cast<uint64_t>(node.name.role));
  mixer.Add(static_cast<uint64_t>(node.name.statement));
  mixer.Add(static_cast<uint64_t>(node.name.index));
  mixer.Add(static_cast<uint64_t>(node.num_inputs));
  for (const EdgeRecord& edge : node.next_edges) mixer.Add(edge);
}

void AddCall(Mixer& mixer, const CallRecord& call) {
  mixer.Add(static_cast<uint64_t>(call.statement));
  for (const NodeRecord& node : call.nodes) AddNode(mixer, node);
  for (const EdgeRecord& edge : call.roots) mixer.Add(edge);
  for (const EdgeRecord& edge : call.inputs) mixer.Add(edge);
  mixer.AddAll(call.dependencies);
  mixer.AddAll(call.needed);
  mixer.AddAll(call.executed);
  for (const auto& hook : call.hooks) {
    mixer.Add(static_cast<uint64_t>(hook.node));
    mixer.Add(static_cast<uint64_t>(hook.statement));
    mixer.Add(hook.gradient_defined ? 1 : 0);
    if (hook.gradient_defined) mixer.Add(hook.gradient);
  }
}

std::optional<ProgramJudge::Finding> FindingOf(const Verdict& verdict) {
  if (verdict.outcome != oracles::Outcome::kDisagree) return std::nullopt;
  const bool is_bits = verdict.oracle == "determinism";
  return ProgramJudge::Finding{is_bits ? "bits" : std::string(verdict.oracle), verdict.text};
}

}  // namespace

uint64_t FingerprintOf(const Observation& observation) {
  Mixer mixer;
  for (const ValueRecord& value : observation.values) AddValue(mixer, value);
  for (const CallRecord& call : observation.calls) AddCall(mixer, call);
  for (const ErrorRecord& error : observation.survived) AddError(mixer, error);
  if (observation.error) AddError(mixer, *observation.error);
  return mixer.state();
}

uint64_t OrderFingerprintOf(const Observation& observation) {
  Mixer mixer;
  for (const CallRecord& call : observation.calls) mixer.AddAll(call.executed);
  return mixer.state();
}

ProgramJudge::ProgramJudge(const Program& program, int device_threads, Observation single,
                           bool with_calls)
    : program_(program),
      device_threads_(device_threads),
      with_calls_(with_calls),
      single_(std::move(single)),
      expected_(twingrad::reference::RunTwin(program)) {}

std::optional<ProgramJudge::Finding> ProgramJudge::operator()(const Observation& observed) {
  const uint64_t fingerprint = FingerprintOf(observed);
  if (right_.count(fingerprint) != 0) return std::nullopt;
  if (observed.error && observed.error->error == ErrorKind::kInternal) {
    const bool is_frozen =
        observed.error->message.find("after the call had ended") != std::string::npos;
    return Finding{is_frozen ? "frozen" : "errors", observed.error->message};
  }
  if (auto finding = FindingOf(oracles::JudgeDeterminism(program_, single_, observed, true,
                                                         "one thread, then this schedule"))) {
    return finding;
  }
  if (auto finding = Judge(observed, device_threads_)) return finding;
  right_.insert(fingerprint);
  return std::nullopt;
}

std::optional<ProgramJudge::Finding> ProgramJudge::JudgeSingle() const { return Judge(single_, 0); }

std::optional<ProgramJudge::Finding> ProgramJudge::Judge(const Observation& observed,
                                                         int device_threads) const {
  if (expected_.skipped || (device_threads != 0 && expected_.single_thread_only)) {
    return std::nullopt;
  }
  const Evidence evidence = {program_, expected_, observed, device_threads, nullptr};
  if (auto finding = FindingOf(oracles::JudgeGradientTypes(program_, observed))) return finding;
  for (const auto& judge : {&oracles::JudgeErrors, &oracles::JudgeValues}) {
    if (auto finding = FindingOf(judge(evidence))) return finding;
  }
  if (!with_calls_) return std::nullopt;
  for (const auto& judge : {&oracles::JudgePredictedCounts, &oracles::JudgeRecount,
                            &oracles::JudgeOrder, &oracles::JudgeHooks}) {
    if (auto finding = FindingOf(judge(evidence))) return finding;
  }
  return std::nullopt;
}

}  // namespace twingrad::interleave
