// What a finding.json says that is needed to judge its Program again.
//
// The file may come from anyone, by way of an issue. Members that are missing have their defaults;
// members that only people read are not looked at. Pure functions.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace twingrad::findings {

struct Description {
  std::string verb;      // check, explore or fuzz
  std::string engine;    // empty: the repository's
  std::string oracle;    // what it was found as
  std::string device;    // of --device; empty: none was named
  std::string strategy;  // of `explore`
  // Of `fuzz`: the program that takes program.txt as its input, and its arguments, apart by blanks.
  std::string target;
  std::string arguments;
  std::optional<uint64_t> seed;
  std::optional<uint64_t> plant;  // proptests/workers/plant.h
  // 0: the default.
  uint64_t schedules = 0;
  uint64_t threads = 0;
  uint64_t timeout_ms = 0;
  uint64_t memory_mib = 0;

  friend bool operator==(const Description&, const Description&) = default;
};

// Error: `[oracle] WHERE is wrong; what is allowed; what to do`; `origin` names the file.
absl::StatusOr<Description> ParseDescription(std::string_view text, std::string_view origin);

// One line, without what has its default.
std::string PrintDescription(const Description& description);

}  // namespace twingrad::findings
