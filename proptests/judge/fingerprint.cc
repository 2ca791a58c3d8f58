#include "proptests/judge/fingerprint.h"

namespace twingrad::judge {

using twingrad::program::CallRecord;
using twingrad::program::EdgeRecord;
using twingrad::program::ErrorRecord;
using twingrad::program::NodeRecord;
using twingrad::program::Observation;
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
  mixer.Add(static_cast<uint64_t>(value.storage));
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
    mixer.Add(static_cast<uint64_t>(hook.thread));
    mixer.Add(hook.overwritten ? 1 : 0);
  }
  mixer.AddAll(call.threads);
  mixer.Add(uint64_t{call.left_changed} << 1 | (call.failed ? 1 : 0));
  mixer.Add(call.order_keys);
  mixer.Add(static_cast<uint64_t>(call.held_blocks));
  for (const auto& sharing : call.sharing) {
    mixer.Add(static_cast<uint64_t>(sharing.value) << 32 ^ static_cast<uint32_t>(sharing.with));
    mixer.Add(static_cast<uint64_t>(sharing.hook));
  }
}

}  // namespace

uint64_t FingerprintOf(const Observation& observation) {
  Mixer mixer;
  for (const ValueRecord& value : observation.values) AddValue(mixer, value);
  for (const CallRecord& call : observation.calls) AddCall(mixer, call);
  for (const auto& warning : observation.warnings) {
    mixer.Add(static_cast<uint64_t>(warning.call));
    mixer.Add(static_cast<uint64_t>(warning.source));
    mixer.Add(static_cast<uint64_t>(warning.statement));
    mixer.Add(static_cast<uint64_t>(warning.node.role));
    mixer.Add(static_cast<uint64_t>(warning.node.statement));
    mixer.Add(static_cast<uint64_t>(warning.node.index));
  }
  for (const ErrorRecord& error : observation.survived) AddError(mixer, error);
  if (observation.error) AddError(mixer, *observation.error);
  if (observation.late_write) {
    mixer.Add(static_cast<uint64_t>(observation.late_write->value));
    mixer.Add(static_cast<uint64_t>(observation.late_write->statement));
  }
  mixer.Add(static_cast<uint64_t>(observation.stopped_beside));
  mixer.Add(static_cast<uint64_t>(observation.leaked_blocks));
  mixer.Add(static_cast<uint64_t>(observation.leaked_bytes));
  mixer.Add(observation.stream_reports.size());
  return mixer.state();
}

uint64_t OrderFingerprintOf(const Observation& observation) {
  Mixer mixer;
  for (const CallRecord& call : observation.calls) mixer.AddAll(call.executed);
  return mixer.state();
}

}  // namespace twingrad::judge
