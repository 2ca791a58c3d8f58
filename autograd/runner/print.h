// An Observation as text for people and for `diff`: one fact a line, always in the same order.
//
//   std::cout << runner::PrintObservation(program, observation);
//
// Numbers are decimal; a float that is no small integer is followed by its exact hexadecimal form.
// Nodes are named after the statement that made them: `mul@3`, `accumulate_grad@0`, `backward@7.2`.
// Pure functions; the Observation must be one of the Program.

#ifndef AUTOGRAD_RUNNER_PRINT_H_
#define AUTOGRAD_RUNNER_PRINT_H_

#include <string>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"

namespace twingrad::runner {

std::string PrintObservation(const program::Program& program,
                             const program::Observation& observation);

// `f64[2] 1,0.1 (0x1.999999999999ap-4)`.
std::string TensorText(const program::TensorData& tensor);

// `mul@3`.
std::string NodeText(const program::Program& program, const program::NodeName& name);

}  // namespace twingrad::runner

#endif  // AUTOGRAD_RUNNER_PRINT_H_
