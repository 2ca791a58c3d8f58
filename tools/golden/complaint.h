// What a run of an entry misses, as text for a failed test.

#pragma once

#include <string>

#include "autograd/program/observation.h"
#include "tools/golden/entry.h"

namespace twingrad::golden {

// Empty when all expectations of the entry are met; `by` names what ran it.
std::string Complaint(const Entry& entry, const twingrad::program::Observation& observation,
                      const std::string& by);

}  // namespace twingrad::golden
