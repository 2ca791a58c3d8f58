// The statistics of judged Programs as the lines of a summary.

#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "proptests/generators/options.h"
#include "proptests/judge/statistics.h"

namespace twingrad::subjects {

// How many Programs hold each feature of the generator, whose words --features takes.
using DrawnFeatures = std::array<uint64_t, generators::kNumFeatures>;

// Each line ends in a newline; shares are of what the line says. Features are those that were
// drawn; what else the text of Programs shows has a line of its own. A word that nothing makes is
// named only where it occurs.
std::string SummaryText(const judge::Statistics& statistics, const DrawnFeatures& drawn);

}  // namespace twingrad::subjects
