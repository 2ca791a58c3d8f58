// Failures that need what the same process ran before: the fewest earlier cases after which one
// shows.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"

namespace twingrad::findings {

// `before` are cases in the order in which they ran; `fails` says whether the failure shows after
// these of them, in a fresh process. Looks at the latest ones first, then takes away what is not
// needed (delta debugging): of the result each case is needed. Nothing if it does not show after
// all of them.
std::optional<std::vector<std::string>> FewestBefore(
    std::vector<std::string> before,
    const std::function<bool(absl::Span<const std::string>)>& fails);

}  // namespace twingrad::findings
