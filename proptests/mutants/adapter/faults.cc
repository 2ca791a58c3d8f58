#include "proptests/mutants/adapter/faults.h"

#include <algorithm>
#include <array>
#include <bit>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <unistd.h>

namespace twingrad::mutants {
namespace {

using twingrad::DType;
using twingrad::program::CallRecord;
using twingrad::program::NodeRole;
using twingrad::program::Observation;
using twingrad::program::Opcode;
using twingrad::program::Program;
using twingrad::program::TensorData;

constexpr std::array<std::string_view, kNumFaults> kWords = {
    "none",        "wrong_sign",  "dropped",
    "doubled",     "off_by_one",  "nan",
    "wrong_shape", "wrong_dtype", "broken_after_error",
    "crash",       "hang",        "garbage",
    "endless",     "early_exit",  "truncated",
    "twice",       "memory"};

template <typename Change>
void ChangeElements(TensorData& data, const Change& change) {
  if (!twingrad::IsFloating(data.dtype)) return;
  for (uint64_t& bits : data.bits) {
    bits = std::bit_cast<uint64_t>(change(std::bit_cast<double>(bits)));
  }
}

template <typename Change>
void ChangeGradients(Observation* observation, const Change& change) {
  for (auto& value : observation->values) {
    if (value.grad_defined) change(value.grad);
  }
}

// Multiplies the gradient of each leaf with n > 1 contributions in the last call by (n + more) / n,
// as if one of n equal ones were missing or doubled.
void ChangeContributions(const Program& program, int more, Observation* observation) {
  if (observation->calls.size() != 1) return;
  const CallRecord& call = observation->calls.back();
  for (size_t i = 0; i < call.nodes.size(); ++i) {
    const auto& name = call.nodes[i].name;
    const int count = i < call.dependencies.size() ? call.dependencies[i] : 0;
    if (name.role != NodeRole::kAccumulateGrad || count < 2) continue;
    auto& leaf = observation->values[program.statements[name.statement].results[0]];
    const double factor = 1 + static_cast<double>(more) / count;
    ChangeElements(leaf.grad, [factor](double x) { return x * factor; });
  }
}

void LowerACount(Observation* observation) {
  for (CallRecord& call : observation->calls) {
    const auto it = std::find_if(call.dependencies.begin(), call.dependencies.end(),
                                 [](int32_t count) { return count > 1; });
    if (it != call.dependencies.end()) --*it;
  }
}

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

}  // namespace

std::string_view FaultWord(Fault fault) { return kWords[static_cast<size_t>(fault)]; }

std::optional<Fault> FaultOf(std::string_view word) {
  const auto it = std::find(kWords.begin(), kWords.end(), word);
  if (it == kWords.end()) return std::nullopt;
  return static_cast<Fault>(it - kWords.begin());
}

bool Multiplies(const Program& program) {
  const auto has = [&](Opcode op) {
    return std::any_of(program.statements.begin(), program.statements.end(),
                       [op](const auto& statement) { return statement.op == op; });
  };
  return has(Opcode::kMul) && (has(Opcode::kBackward) || has(Opcode::kGrad));
}

void Spoil(Fault fault, const Program& program, bool* after_error, Observation* observation) {
  switch (fault) {
    case Fault::kWrongSign:
      if (!Multiplies(program)) return;
      return ChangeGradients(
          observation, [](TensorData& grad) { ChangeElements(grad, [](double x) { return -x; }); });
    case Fault::kNan:
      if (!Multiplies(program)) return;
      return ChangeGradients(observation, [](TensorData& grad) {
        ChangeElements(grad, [](double) { return std::numeric_limits<double>::quiet_NaN(); });
      });
    case Fault::kDropped:
      return ChangeContributions(program, -1, observation);
    case Fault::kDoubled:
      return ChangeContributions(program, 1, observation);
    case Fault::kOffByOne:
      return LowerACount(observation);
    case Fault::kWrongShape:
      return ChangeGradients(observation,
                             [](TensorData& grad) { grad.shape.insert(grad.shape.begin(), 1); });
    case Fault::kWrongDType:
      return ChangeGradients(observation, [](TensorData& grad) {
        if (grad.dtype == DType::kF64) grad.dtype = DType::kF32;
      });
    case Fault::kBrokenAfterError:
      if (*after_error) {
        ChangeGradients(observation, [](TensorData& grad) {
          ChangeElements(grad, [](double x) { return 2 * x; });
        });
      }
      *after_error = observation->error.has_value();
      return;
    default:
      return;
  }
}

void Misbehave(Fault fault, const Program& program, int out) {
  if (!Multiplies(program)) return;
  switch (fault) {
    case Fault::kCrash:
      std::signal(SIGSEGV, SIG_DFL);  // Not AddressSanitizer's, which would exit instead.
      raise(SIGSEGV);
      return;
    case Fault::kHang:
      Sleep();
    case Fault::kGarbage:
      return Write(out, "\x7f\x45\x4c\x46 not a reply\n");
    case Fault::kEndless:
      // Without a newline: no line is ever complete.
      while (getppid() != 1) Write(out, std::string(65536, 'x'));
      std::exit(1);
    case Fault::kEarlyExit:
      _exit(0);
    case Fault::kTruncated:
      Write(out, "ok 1 1000\nvalue");
      Sleep();
    case Fault::kTwice:
      return Write(out, "ok 1 0\nok 1 0\n");
    case Fault::kMemory: {
      std::vector<std::string> all;
      while (true) all.emplace_back(size_t{16} << 20, 'x');
    }
    default:
      return;
  }
}

}  // namespace twingrad::mutants
