// Renderings of a finding by other programs, where they are installed: its graph as a picture, and
// its Program as a script for PyTorch.

#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace twingrad::findings {

// The time of `dot` grows faster than the graph: it takes minutes for thousands of nodes.
inline constexpr int kMaxDrawnNodes = 500;

// Renders a graph in the language of graphviz, one node per line, as SVG. The error says that the
// graph is too large, that `dot` is missing, or how `dot` ended; the caller then keeps the source.
absl::StatusOr<std::string> RenderSvg(std::string_view dot_source);

// The script, which the authors of a foreign engine can run; empty if a statement has no
// counterpart in PyTorch, if there is no python3, or if tools/adapters/python is not beside this
// tool.
std::string RenderSnippet(std::string_view program);

}  // namespace twingrad::findings
