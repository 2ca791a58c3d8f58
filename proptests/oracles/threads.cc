// Which thread a node ran on.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/program/analyze.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

using program::DeviceIndex;
using program::kCallingThread;
using program::kCpu;

constexpr std::string_view kOracle = "threads";

std::string ThreadText(int thread) {
  if (thread >= 0) return absl::StrCat("worker ", thread);
  return thread == kCallingThread ? "the calling thread"
                                  : "a thread of neither the caller nor a "
                                    "device";
}

// The devices of a Program's nodes, as its statements say.
class Devices {
 public:
  // Without workers nobody asks, and where no statement names a device all is on the CPU.
  explicit Devices(const Evidence& evidence) : program_(evidence.program) {
    if (evidence.device_threads == 0 || program::DevicesOf(program_) == 0) return;
    devices_ = program::DevicesOfValues(program_);
  }

  // Nothing for nodes that a call has made, which no statement describes.
  std::optional<DeviceIndex> Of(const NodeName& name) const {
    if (name.role == NodeRole::kGraphRoot) return kCpu;
    const bool is_made = name.role == NodeRole::kBackward || name.role == NodeRole::kIdentity;
    if (is_made || name.statement < 0) return std::nullopt;
    const Statement& statement = program_.statements[name.statement];
    const auto category = program::SignatureOf(statement.op).category;
    if (category == program::Category::kCall) return std::nullopt;
    // A write's node stands for what it has written.
    if (!statement.results.empty() && name.role != NodeRole::kCopySlices) {
      const bool may_differ = category == program::Category::kCustom && !devices_.empty();
      return may_differ ? OfResults(statement) : OfValue(statement.results[0]);
    }
    if (statement.operands.empty()) return std::nullopt;
    return OfValue(statement.operands[0]);
  }

 private:
  DeviceIndex OfValue(ValueId value) const { return devices_.empty() ? kCpu : devices_[value]; }

  // Of results on several devices, which custom functions have, the first that is not the CPU among
  // those that have a gradient.
  DeviceIndex OfResults(const Statement& statement) const {
    const auto analysis = program::Analyze(program_);
    const auto without = statement.Get<std::vector<int64_t>>(Key::kNonDifferentiable);
    for (size_t i = 0; analysis.ok() && i < statement.results.size(); ++i) {
      const program::ValueInfo& info = analysis->values[statement.results[i]];
      const bool has_gradient =
          IsFloating(info.type.dtype) &&
          std::ranges::find(without, static_cast<int64_t>(i)) == without.end();
      if (has_gradient && info.device != kCpu) return info.device;
    }
    return kCpu;
  }

  const Program& program_;
  std::vector<DeviceIndex> devices_;  // of values; empty: all on the CPU
};

class CallJudge {
 public:
  CallJudge(const Evidence& evidence, const Devices& devices, const CallRecord& call)
      : evidence_(evidence), devices_(devices), call_(call) {
    const auto& seen = evidence.observed;
    // Of thread sections, whichever is first makes its call first.
    may_be_local_ = seen.stopped_beside >= 0 &&
                    (call.statement >= seen.stopped_beside || HasSections(evidence.program));
    is_alone_ = call.outer >= 0 || evidence.device_threads == 0;
    const auto is_caller = [](int thread) {
      return thread == kCallingThread || thread == program::kNotShown;
    };
    // Where nothing is executed, hooks tell.
    if (may_be_local_ && std::ranges::all_of(call.threads, is_caller) &&
        std::ranges::all_of(call.hooks, is_caller, &HookRecord::thread)) {
      is_alone_ = true;
    }
  }

  Verdict Judge() const {
    for (size_t i = 0; i < call_.executed.size(); ++i) {
      if (call_.executed[i] < 0) continue;
      const NodeName& name = call_.nodes[call_.executed[i]].name;
      if (IsRight(name, call_.threads[i])) continue;
      return Differs(name, absl::StrCat("the ", NodeText(name), " ran on "), call_.threads[i]);
    }
    for (const HookRecord& hook : call_.hooks) {
      const NodeName name = hook.node < 0 ? NodeName{NodeRole::kGraphRoot, call_.statement, 0}
                                          : call_.nodes[hook.node].name;
      if (hook.thread == program::kNotShown || IsRight(name, hook.thread)) continue;
      return Differs(name,
                     absl::StrCat("a hook or callback of statement ", hook.statement, " ran on "),
                     hook.thread);
    }
    return Agree(kOracle);
  }

 private:
  std::optional<int> Wanted(const NodeName& name) const {
    if (is_alone_) return kCallingThread;
    const std::optional<DeviceIndex> device = devices_.Of(name);
    if (!device.has_value()) return std::nullopt;
    return *device == kCpu ? kCallingThread : *device % evidence_.device_threads;
  }
  bool IsRight(const NodeName& name, int thread) const {
    const int wanted = Wanted(name).value_or(thread);
    // Helpers are numbered after the device workers.
    const bool is_helper = thread >= evidence_.device_threads;
    if (wanted == kCallingThread && is_helper) return !is_alone_ && evidence_.helpers > 0;
    return wanted == thread && thread != program::kOtherThread;
  }
  Verdict Differs(const NodeName& name, const std::string& what, int thread) const {
    const std::string nested = call_.outer < 0 ? "" : ", which is nested";
    return Disagree(kOracle,
                    absl::StrCat("threads: ", what, ThreadText(thread), "\n  it belongs on ",
                                 ThreadText(Wanted(name).value_or(kCallingThread)),
                                 "\n  in the call of ", LineOf(evidence_.program, call_.statement),
                                 nested, "\n  ", EngineText(evidence_), "\n"),
                    {name.statement, call_.statement});
  }

  const Evidence& evidence_;
  const Devices& devices_;
  const CallRecord& call_;
  bool may_be_local_ = false;
  bool is_alone_ = false;
};

}  // namespace

Verdict JudgeThreads(const Evidence& evidence) {
  const Devices devices(evidence);
  for (const CallRecord& call : evidence.observed.calls) {
    if (call.threads.size() != call.executed.size()) continue;  // not shown
    Verdict verdict = CallJudge(evidence, devices, call).Judge();
    if (verdict.outcome == Outcome::kDisagree) return verdict;
  }
  return Agree(kOracle);
}

}  // namespace twingrad::oracles
