// An Observation as text for people and for `diff`: one fact per line, always in the same order.
//
//   std::cout << program::PrintObservation(program, observation);
//
// Numbers are decimal; a float that is no small integer is followed by its exact hexadecimal form.
// Nodes are named after the statement that made them: `mul@3`, `accumulate_grad@0`, `backward@7.2`.
// Pure functions; the Observation must be one of the Program.

#pragma once

#include <cstdint>
#include <string>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"

namespace twingrad::program {

std::string PrintObservation(const Program& program, const Observation& observation);

// `f64[2] 1,0.1 (0x1.999999999999ap-4)`.
std::string TensorText(const TensorData& tensor);

// `grad_mode depth`: what CallRecord::left_changed says.
std::string ThreadPartsText(uint32_t parts);

// `mul@3`.
std::string NodeText(const Program& program, const NodeName& name);

}  // namespace twingrad::program
