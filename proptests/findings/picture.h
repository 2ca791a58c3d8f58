// Pictures: graphviz source to SVG through the program `dot`, where it is installed.

#ifndef PROPTESTS_FINDINGS_PICTURE_H_
#define PROPTESTS_FINDINGS_PICTURE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace twingrad::findings {

// The time that `dot` takes grows faster than the graph: minutes for thousands of nodes.
inline constexpr int kMaxDrawnNodes = 500;

// The SVG of a graph in the language of graphviz, one node a line. An error says that the graph is
// too large, that `dot` is missing or what it said; the caller then keeps the source.
absl::StatusOr<std::string> RenderSvg(std::string_view dot_source);

}  // namespace twingrad::findings

#endif  // PROPTESTS_FINDINGS_PICTURE_H_
