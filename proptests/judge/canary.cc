#include "proptests/judge/canary.h"

#include <bit>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "autograd/program/builder.h"
#include "proptests/oracles/compare.h"

namespace twingrad::judge {

using oracles::Agree;
using oracles::Disagree;
using oracles::Verdict;
using twingrad::DType;
using twingrad::program::FloatBits;
using twingrad::program::Key;
using twingrad::program::Observation;
using twingrad::program::Opcode;
using twingrad::program::Program;
using twingrad::program::ProgramBuilder;
using twingrad::program::ValueId;

Program MakeCanary(int devices) {
  ProgramBuilder b;
  const ValueId x = b.Leaf({DType::kF64, {}}, FloatBits({3}), /*grad=*/true);
  const ValueId square = b.Op(Opcode::kMul, {x, x});
  ValueId sum = b.Op(Opcode::kAdd, {square, x});
  for (int64_t device = 0; device < devices; ++device) {
    const ValueId there = b.Op(Opcode::kTo, {x}, {{Key::kDevice, device}});
    const ValueId twice = b.Op(Opcode::kAdd, {there, there});
    const ValueId back = b.Op(Opcode::kTo, {twice}, {{Key::kDevice, int64_t{-1}}});
    sum = b.Op(Opcode::kAdd, {sum, back});
  }
  b.Add(Opcode::kBackward, {sum});
  return b.Take();
}

const Program& CanaryProgram() {
  static const Program program = MakeCanary(2);
  return program;
}

Verdict JudgeCanary(const Observation& observed) {
  // 2x + 1 on the CPU, 2 on each device.
  constexpr double kExpected = 11;
  std::string actual = "no gradient";
  if (observed.error) {
    actual = absl::StrCat("error ", std::string(ErrorKindName(observed.error->error)), ": ",
                          observed.error->message.substr(0, 160));
  } else if (!observed.values.empty() && observed.values[0].grad_defined &&
             observed.values[0].grad.bits.size() == 1) {
    if (std::bit_cast<double>(observed.values[0].grad.bits[0]) == kExpected) {
      return Agree("canary");
    }
    actual = oracles::ElementText(observed.values[0].grad, 0);
  }
  return Disagree("canary", absl::StrCat("canary: the gradient of a trivial Program right after an "
                                         "error\n  expected 11\n  actual   ",
                                         actual, "\n"));
}

}  // namespace twingrad::judge
