// Hunts for a planted defect: judges generated Programs until an oracle disagrees, then minimizes
// the Program.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "autograd/program/program.h"
#include "proptests/judge/judge.h"

namespace twingrad::mutants {

// Limits for every mutant: Programs needed to find it, and statements left after minimizing.
inline constexpr int kMaxPrograms = 2000;
inline constexpr int kMaxStatements = 5;

struct Kill {
  uint64_t seed = 0;   // of the first Program that showed the defect
  int programs = 0;    // how many were needed, that one included
  std::string oracle;  // the one that disagreed first
  std::string text;    // its text for the shrunk Program
  program::Program shrunk;
};

// Judges Programs of the seeds first_seed, first_seed + 1, ...; returns nothing if all agree.
std::optional<Kill> Hunt(judge::Judge& judge, uint64_t first_seed, int max_programs = kMaxPrograms);

// A row of the kill matrix: `| name | programs | oracle | statements |`.
std::string MatrixRow(std::string_view name, const Kill& kill);

}  // namespace twingrad::mutants
