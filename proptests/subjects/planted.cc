#include "proptests/subjects/planted.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include <unistd.h>

#include "autograd/program/opcode.h"

namespace twingrad::subjects {
namespace {

using program::Observation;
using program::Opcode;
using program::Program;
using workers::Defect;

// Statements that generated Programs hold often enough.
constexpr Opcode kTriggers[] = {Opcode::kMul, Opcode::kSum, Opcode::kAdd, Opcode::kSub,
                                Opcode::kClone};
constexpr uint64_t kNumTriggers = std::size(kTriggers);

bool Holds(const Program& program, Opcode op) {
  return std::ranges::any_of(program.statements, [&](const auto& it) { return it.op == op; });
}

// Of what ends a process two statements are asked: each time costs a worker, or its time limit.
bool Shows(Defect defect, uint64_t draw, const Program& program) {
  const uint64_t first = draw % kNumTriggers;
  const uint64_t second = (first + 1 + draw / kNumTriggers % (kNumTriggers - 1)) % kNumTriggers;
  if (!Holds(program, kTriggers[first])) return false;
  return (defect != Defect::kCrash && defect != Defect::kHang) || Holds(program, kTriggers[second]);
}

// The first number other than 0 that is a gradient gets the other sign.
void TurnSign(Observation* observed) {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  for (auto& value : observed->values) {
    if (!value.grad_defined || value.grad.dtype != DType::kF64) continue;
    for (uint64_t& bits : value.grad.bits) {
      if ((bits & ~kSign) == 0) continue;
      bits ^= kSign;
      return;
    }
  }
}

}  // namespace

void Plant(Defect defect, uint64_t draw, const Program& program, int device_threads,
           Observation* observed) {
  if (defect == Defect::kNone || !Shows(defect, draw, program)) return;
  switch (defect) {
    case Defect::kNone:
      break;
    case Defect::kWrongValue:
      TurnSign(observed);
      break;
    case Defect::kRace:
      if (device_threads > 0) TurnSign(observed);
      break;
    case Defect::kLeak:
      if (device_threads == 0) ++observed->leaked_blocks;
      break;
    case Defect::kCrash:
      std::abort();
    case Defect::kHang:
      while (true) pause();
  }
}

}  // namespace twingrad::subjects
