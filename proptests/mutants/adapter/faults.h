// Faults: the defects that can be planted in the faulty adapter. Tests check that each is reported
// as the kind of defect that it is.
//
// Some change the Observation of a correct engine, some break the protocol or the process. Each
// shows only on Programs that provoke it, so that there is something to minimize.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/types/span.h"
#include "autograd/program/observation.h"
#include "autograd/program/program.h"

namespace twingrad::mutants {

enum class Fault : uint8_t {
  kNone,
  // Of the engine.
  kWrongSign,         // gradients of Programs that multiply are negated
  kDropped,           // if a leaf has several contributions, one of them is missing
  kDoubled,           // ... one of them counts twice
  kOffByOne,          // if a node has several dependencies, one too few is reported
  kNan,               // gradients of Programs that multiply hold a NaN
  kWrongShape,        // gradients have a dimension too many
  kWrongDType,        // f64 gradients are f32
  kBrokenAfterError,  // after an error all gradients are doubled
  kCrash,             // Programs that multiply end the process by a signal
  kHang,              // ... are never answered
  // Of the adapter.
  kGarbage,    // ... are answered with bytes that are no reply
  kEndless,    // ... are answered without end
  kEarlyExit,  // ... end the process normally, with status 0
  kTruncated,  // ... are answered with less than was announced
  kTwice,      // ... are answered twice
  kMemory,     // ... take all memory
};
inline constexpr int kNumFaults = static_cast<int>(Fault::kMemory) + 1;

std::string_view FaultWord(Fault fault);
std::optional<Fault> FaultOf(std::string_view word);

// Whether the Program provokes the faults that need a multiplication and a call.
bool Multiplies(const twingrad::program::Program& program);

// Applies a fault of the engine to the Observation. `*after_error` is the state that
// kBrokenAfterError keeps between Programs.
void Spoil(Fault fault, const twingrad::program::Program& program, bool* after_error,
           twingrad::program::Observation* observation);

// Acts out a fault of the process or the adapter, writing to the file descriptor `out`. Does
// nothing for other faults, or if the Program does not provoke this one.
void Misbehave(Fault fault, const twingrad::program::Program& program, int out);

}  // namespace twingrad::mutants
