#include "proptests/mutants/adapter/faults.h"

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include <unistd.h>

namespace twingrad::mutants {
namespace {

using program::CallRecord;
using program::Observation;
using program::Opcode;
using program::Program;
using program::TensorData;

template <typename Change>
void ChangeElements(TensorData& data, const Change& change) {
  if (!IsFloating(data.dtype)) return;
  for (uint64_t& bits : data.bits) {
    bits = std::bit_cast<uint64_t>(change(std::bit_cast<double>(bits)));
  }
}

template <typename Change>
void ChangeGradients(Observation& observation, const Change& change) {
  for (auto& value : observation.values) {
    if (value.grad_defined) change(value.grad);
  }
}

template <typename Change>
void ChangeGradientElements(Observation& observation, const Change& change) {
  ChangeGradients(observation, [&change](TensorData& grad) { ChangeElements(grad, change); });
}

// Multiplies the gradient of each leaf with n > 1 contributions in the last call by (n + more) / n,
// as if one of n equal ones were missing or doubled.
void ChangeContributions(const Program& program, int more, Observation& observation) {
  if (observation.calls.size() != 1) return;
  const CallRecord& call = observation.calls.back();
  for (size_t i = 0; i < call.nodes.size(); ++i) {
    const auto& name = call.nodes[i].name;
    const int count = i < call.dependencies.size() ? call.dependencies[i] : 0;
    if (name.role != program::NodeRole::kAccumulateGrad || count < 2) continue;
    auto& leaf = observation.values[program.statements[name.statement].results[0]];
    const double factor = 1 + static_cast<double>(more) / count;
    ChangeElements(leaf.grad, [factor](double x) { return x * factor; });
  }
}

// One accessor shows something else of the gradients of Programs that multiply, or fails.
template <const char* const& kAccessor, bool kFails = false>
void SpoilAccessor(const Program& program, bool, Observation& observation) {
  for (size_t i = 0; i < observation.values.size() && Multiplies(program); ++i) {
    const auto& value = observation.values[i];
    if (!value.grad_defined) continue;
    program::AccessorRecord& record = observation.accessors.emplace_back();
    record = {kAccessor, static_cast<program::ValueId>(i), true, value.grad, value.grad, ""};
    ChangeElements(*record.shown, [](double x) { return x + 1; });
    if (!kFails) continue;
    record.shown.reset();
    record.error = "it has no memory";
  }
}

// Gradients that `grad` returns of values with a scaling hook have not passed it: those beside
// which another input is asked for, or (`kAll`) all.
template <bool kAll>
void MissHooks(const Program& program, bool, Observation& observation) {
  for (const auto& call : program.statements) {
    if (call.op != Opcode::kGrad || (!kAll && call.results.size() < 2)) continue;
    const auto inputs = call.Get<std::vector<program::ValueId>>(program::Key::kInputs);
    for (const auto& hook : program.statements) {
      if (hook.op != Opcode::kHook || hook.Get<std::string>(program::Key::kDo) != "scale") continue;
      const auto input = std::find(inputs.begin(), inputs.end(), hook.operands[0]);
      if (input == inputs.end()) continue;
      const auto result = call.results[static_cast<size_t>(input - inputs.begin())];
      const double by = hook.Get<double>(program::Key::kBy);
      ChangeElements(observation.values[static_cast<size_t>(result)].data,
                     [by](double x) { return x / by; });
    }
  }
}

constexpr const char* kClone = "clone";
constexpr const char* kNumpy = "numpy";
constexpr const char* kAfterWrites = "after_writes";

void Write(int out, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(out, text.data(), text.size());
    if (n <= 0) return;
    text.remove_prefix(static_cast<size_t>(n));
  }
}

[[noreturn]] void Sleep() {
  while (true) pause();
}

constexpr Fault kFaults[] = {
    {"none"},
    // Of the engine.
    {"wrong_sign",  // gradients of Programs that multiply are negated
     [](const Program& program, bool, Observation& observation) {
       if (Multiplies(program)) ChangeGradientElements(observation, [](double x) { return -x; });
     }},
    {"dropped",  // if a leaf has several contributions, one of them is missing
     [](const Program& program, bool, Observation& observation) {
       ChangeContributions(program, -1, observation);
     }},
    {"doubled",  // ... one of them counts twice
     [](const Program& program, bool, Observation& observation) {
       ChangeContributions(program, 1, observation);
     }},
    {"off_by_one",  // if a node of a call has several dependencies, one too few is reported
     [](const Program&, bool, Observation& observation) {
       for (CallRecord& call : observation.calls) {
         const auto it = std::find_if(call.dependencies.begin(), call.dependencies.end(),
                                      [](int32_t n) { return n > 1; });
         if (it != call.dependencies.end()) --*it;
       }
     }},
    {"nan",  // gradients of Programs that multiply hold a NaN
     [](const Program& program, bool, Observation& observation) {
       if (!Multiplies(program)) return;
       ChangeGradientElements(observation,
                              [](double) { return std::numeric_limits<double>::quiet_NaN(); });
     }},
    {"wrong_shape",  // gradients have a dimension too many
     [](const Program&, bool, Observation& observation) {
       ChangeGradients(observation,
                       [](TensorData& grad) { grad.shape.insert(grad.shape.begin(), 1); });
     }},
    {"wrong_dtype",  // f64 gradients are f32
     [](const Program&, bool, Observation& observation) {
       ChangeGradients(observation, [](TensorData& grad) {
         if (grad.dtype == DType::kF64) grad.dtype = DType::kF32;
       });
     }},
    {"broken_after_error",  // after an error all gradients are doubled
     [](const Program&, bool after_error, Observation& observation) {
       if (after_error) ChangeGradientElements(observation, [](double x) { return 2 * x; });
     }},
    {"wrong_clone", SpoilAccessor<kClone>},         // copies of gradients hold other numbers
    {"no_numpy", SpoilAccessor<kNumpy, true>},      // gradients cannot be copied to the host
    {"shared_grads", SpoilAccessor<kAfterWrites>},  // a write into one .grad changes others
    // Of the engine, and a known defect of PyTorch: where more inputs are asked for, what is
    // captured has not passed its hooks. Its neighbour: nor has it elsewhere.
    {"captures_miss_hooks", MissHooks<false>},
    {"all_captures_miss_hooks", MissHooks<true>},
    // Of the process.
    {"crash", nullptr,
     [](int) {
       std::signal(SIGSEGV, SIG_DFL);  // Not AddressSanitizer's, which would exit instead.
       raise(SIGSEGV);
     }},
    {"hang", nullptr, [](int) { Sleep(); }},
    // Of the adapter: bytes that are no reply, a reply without end (without a newline no line is
    // ever complete), a normal end, less than was announced, two replies.
    {"garbage", nullptr, [](int out) { Write(out, "\x7f\x45\x4c\x46 not a reply\n"); }},
    {"endless", nullptr,
     [](int out) {
       while (getppid() != 1) Write(out, std::string(65536, 'x'));
       std::exit(1);
     }},
    {"early_exit", nullptr, [](int) { _exit(0); }},
    {"truncated", nullptr,
     [](int out) {
       Write(out, "ok 1 1000\nvalue");
       Sleep();
     }},
    {"twice", nullptr, [](int out) { Write(out, "ok 1 0\nok 1 0\n"); }},
    {"memory", nullptr,
     [](int) {
       std::vector<std::string> all;
       while (true) all.emplace_back(size_t{16} << 20, 'x');
     }},
};

}  // namespace

absl::Span<const Fault> Faults() { return kFaults; }

const Fault* FindFault(std::string_view word) {
  const Fault* fault = std::find_if(std::begin(kFaults), std::end(kFaults),
                                    [word](const Fault& f) { return f.word == word; });
  return fault == std::end(kFaults) ? nullptr : fault;
}

bool Multiplies(const Program& program) {
  const auto has = [&](Opcode op) {
    return std::any_of(program.statements.begin(), program.statements.end(),
                       [op](const auto& statement) { return statement.op == op; });
  };
  return has(Opcode::kMul) && (has(Opcode::kBackward) || has(Opcode::kGrad));
}

}  // namespace twingrad::mutants
