// The statistics of judged Programs as the lines of a summary.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "proptests/generators/options.h"
#include "proptests/judge/statistics.h"

namespace twingrad::subjects {

// How many Programs hold each two features of the generator, whose words --features takes. Plain
// counters, which add up over processes.
struct DrawnFeatures {
  std::array<std::array<uint64_t, generators::kNumFeatures>, generators::kNumFeatures> met = {};

  void Add(const generators::Features& drawn);
  // In how many Programs the feature stands.
  uint64_t Of(int feature) const {
    return met[static_cast<size_t>(feature)][static_cast<size_t>(feature)];
  }
};

// A row of a summary, over as many lines as it takes.
std::string Rows(std::string_view name, const std::vector<std::string>& items);

// For machines: for each feature, in how many Programs it meets each other one; the text of a JSON
// object.
std::string PairsReport(const DrawnFeatures& drawn);

// Each line ends in a newline; shares are of what the line says. Features are those that were
// drawn; what else the text of Programs shows has a line of its own. A word that nothing makes is
// named only where it occurs.
std::string SummaryText(const judge::Statistics& statistics, const DrawnFeatures& drawn);

}  // namespace twingrad::subjects
