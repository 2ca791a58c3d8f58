#include "autograd/runner/thread_snapshot.h"

#include "autograd/program/observation.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::runner {

using program::ThreadPart;

namespace {

// More keys than one call can use.
constexpr uint64_t kMostKeys = uint64_t{1} << 31;

uint32_t Bit(ThreadPart part, bool changed) {
  return changed ? uint32_t{1} << static_cast<int>(part) : 0;
}

uint32_t ChangesOfModes(const Modes& before, const Modes& now) {
  return Bit(ThreadPart::kGradMode, now.grad_mode != before.grad_mode) |
         Bit(ThreadPart::kAnomaly, now.anomaly != before.anomaly ||
                                       now.check_nan != before.check_nan ||
                                       now.capture_stacks != before.capture_stacks) |
         Bit(ThreadPart::kSavedHooks, now.saved_tensor_hooks != before.saved_tensor_hooks) |
         Bit(ThreadPart::kOtherModes, now.anomaly_label != before.anomaly_label ||
                                          now.node_creation != before.node_creation ||
                                          now.call_state != before.call_state ||
                                          now.warning_handler != before.warning_handler);
}

}  // namespace

ThreadSnapshot::ThreadSnapshot()
    : thread_(CurrentThread()),
      engine_(CurrentEngineThread()),
      inference_tensors_(InferenceTensors()) {}

uint32_t ThreadSnapshot::Changes() const {
  const ThreadState& now = CurrentThread();
  const EngineThread& engine = CurrentEngineThread();
  return ChangesOfModes(thread_.modes, now.modes) |
         Bit(ThreadPart::kInference, now.modes.inference != thread_.modes.inference ||
                                         InferenceTensors() != inference_tensors_) |
         Bit(ThreadPart::kDepth, engine.depth != engine_.depth ||
                                     engine.executes_all != engine_.executes_all ||
                                     engine.is_alone != engine_.is_alone) |
         Bit(ThreadPart::kTask, engine.task != engine_.task) |
         Bit(ThreadPart::kFilter, now.filter != thread_.filter) |
         Bit(ThreadPart::kNode,
             now.node != thread_.node || now.custom_call != thread_.custom_call) |
         Bit(ThreadPart::kTurn, now.turn != thread_.turn) |
         Bit(ThreadPart::kOrderKeys,
             OrderKeysUsed() > kMostKeys || now.provisional != thread_.provisional) |
         Bit(ThreadPart::kDestroying,
             now.destroying != thread_.destroying || now.to_destroy != thread_.to_destroy);
}

}  // namespace twingrad::runner
