// Pictures: graphviz source to SVG through the program `dot`, where it is installed.

#ifndef TOOLS_ORACLE_PICTURE_H_
#define TOOLS_ORACLE_PICTURE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace twingrad::oracle {

// The SVG of a graph in the language of graphviz. An error says that `dot` is missing or what it
// said; the caller then keeps the source.
absl::StatusOr<std::string> RenderSvg(std::string_view dot_source);

}  // namespace twingrad::oracle

#endif  // TOOLS_ORACLE_PICTURE_H_
