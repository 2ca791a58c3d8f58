// What a merge leaves for people and programs: one SQLite file, one page, and texts of how far the
// campaign is.

#pragma once

#include <string>

#include "absl/status/status.h"
#include "fuzz/campaign/merge.h"
#include "nlohmann/json.hpp"

namespace twingrad::campaign {

// The page without its data, among the sources.
inline constexpr char kPageTemplate[] = "fuzz/campaign/page.html";

// Writes `path` anew. SQLite's locks do not hold on shared folders, so the file is made on this
// machine's disk, copied beside `path`, and renamed.
absl::Status WriteDatabase(const Merged& merged, const std::string& path);

// One file of HTML that needs no server: curves, findings with their pictures, filters.
absl::Status WritePage(const Merged& merged, const std::string& path);

// How far the campaign is, for a terminal, for programs, and as a text file of Prometheus.
std::string StatusText(const Merged& merged);
nlohmann::json StatusJson(const Merged& merged);
std::string StatusMetrics(const Merged& merged);

}  // namespace twingrad::campaign
