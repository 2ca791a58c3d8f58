// A Program's graphs in the language of graphviz: one drawing for each call of the engine.
//
// A node shows the statement that made it, its dependency count and whether it ran; nodes of marked
// statements are red. If no call has nodes, the Program's statements are drawn instead. Pure
// functions.

#pragma once

#include <string>

#include "absl/types/span.h"
#include "autograd/program/observation.h"
#include "autograd/program/program.h"

namespace twingrad::findings {

std::string DrawGraphs(const twingrad::program::Program& program,
                       const twingrad::program::Observation& observation,
                       absl::Span<const int> marked);

}  // namespace twingrad::findings
