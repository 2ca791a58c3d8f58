// Pictures: graphviz source to SVG through the program `dot`, where it is installed.

#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace twingrad::findings {

// The time of `dot` grows faster than the graph: it takes minutes for thousands of nodes.
inline constexpr int kMaxDrawnNodes = 500;

// Renders a graph in the language of graphviz, one node per line, as SVG. The error says that the
// graph is too large, that `dot` is missing, or what `dot` printed; the caller then keeps the
// source.
absl::StatusOr<std::string> RenderSvg(std::string_view dot_source);

}  // namespace twingrad::findings
