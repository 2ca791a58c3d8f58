// Hunts for a planted defect: judges generated Programs until an oracle disagrees, then minimizes
// the Program.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "autograd/program/program.h"
#include "proptests/generators/options.h"
#include "proptests/judge/judge.h"

namespace twingrad::mutants {

// Limits for every mutant: Programs needed to find it, and statements left after minimizing.
inline constexpr int kMaxPrograms = 2000;
inline constexpr int kMaxStatements = 5;
// The same of defects that need a pair of features.
inline constexpr int kMaxPairPrograms = 20'000;
inline constexpr int kMaxPairStatements = 7;

struct Kill {
  uint64_t seed = 0;   // of the first Program that showed the defect
  int programs = 0;    // how many were needed, that one included
  std::string oracle;  // the one that disagreed first
  std::string text;    // its text for the shrunk Program
  program::Program shrunk;
};

// How many Programs it takes to find the defect, by weights of each Program's own and by the fixed
// ones (proptests/generators/swarm.h): medians of as many hunts, each from a seed of its own.
struct Comparison {
  int swarm = 0;
  // As far as needed: the hunts end after kSooner times as many Programs as `swarm`.
  int fixed = 0;
  bool fixed_ended = false;  // without a finding: `fixed` is a lower bound

  bool IsSooner() const;
  std::string Text() const;
};
inline constexpr int kHunts = 5;
inline constexpr int kSooner = 5;
// `most`: of one hunt by weights of each Program's own; `whole`: those by the fixed ones go on
// until they find it, or up to `most`.
Comparison CompareWeights(judge::Judge& judge, int most = kMaxPairPrograms, bool whole = false);

// Judges Programs of the seeds first_seed, first_seed + 1, ... until one fails each time; returns
// nothing if there is none.
std::optional<Kill> Hunt(judge::Judge& judge, uint64_t first_seed, int max_programs = kMaxPrograms,
                         const generators::GeneratorOptions& options = {});

// A row of the kill matrix: `| name | programs | oracle | statements |`.
std::string MatrixRow(std::string_view name, const Kill& kill);

}  // namespace twingrad::mutants
