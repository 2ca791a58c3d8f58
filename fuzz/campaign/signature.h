// When two findings are the same: the oracle that found them, what it complained of without the
// names and numbers in it, and the statements that are left after minimizing.
//
// Of a crash or a hang, what it complained of holds the last words of the worker, so that two
// places in the code are two findings. Pure functions.

#pragma once

#include <string>
#include <string_view>

#include "proptests/findings/finding.h"

namespace twingrad::campaign {

// `text` with each name and number replaced: "twin: .grad of %v12" becomes "twin: .grad of %".
std::string WithoutNames(std::string_view text);

std::string KindOf(const workers::CaseResult& result);
std::string SignatureOf(const findings::Finding& finding);

}  // namespace twingrad::campaign
