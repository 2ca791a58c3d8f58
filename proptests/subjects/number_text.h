// Numbers as the lines of a summary show them.

#pragma once

#include <cstdint>
#include <string>

namespace twingrad::subjects {

// 12,345 with separators of thousands.
std::string WithSeparators(uint64_t number);

}  // namespace twingrad::subjects
