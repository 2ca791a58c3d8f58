// Conventions: what an engine answers where no derivative exists, and in which order it adds
// gradients where an index occurs several times. They are reported in a table and are never a
// finding; golden/expected/README.md has the choices of the engines that were asked.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"

namespace twingrad::conformance {

// A point without a derivative, and the Program that stands on it.
struct Convention {
  std::string_view point;
  twingrad::program::Program program;
};

std::vector<Convention> Conventions();

// The gradients of the leaves that require one, separated by commas, their elements by blanks. An
// absent gradient is printed as `none`, an error as its class.
std::string ChoiceText(const twingrad::program::Program& program,
                       const twingrad::program::Observation& observed);

}  // namespace twingrad::conformance
