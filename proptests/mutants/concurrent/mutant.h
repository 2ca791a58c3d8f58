// Mutant: what the checker is held to for one planted defect; a row of BUILD.bazel as the program
// of its test receives it.
//
//   split_decrement scenario=two_into_one_slot 'detector=error' 'rule=run contributions'
//       'programs.detector=invariant' 'programs.without_rules=errors' 'programs.hunt=any'
//
// ParseMutant refuses names of scenarios and hunts that do not exist and says which do.

#ifndef PROPTESTS_MUTANTS_CONCURRENT_MUTANT_H_
#define PROPTESTS_MUTANTS_CONCURRENT_MUTANT_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "proptests/mutants/concurrent/scenarios.h"

namespace twingrad::mutants {

// Which random Programs are tried.
enum class HuntKind {
  kAny,         // as they are generated
  kFailing,     // those in which a call fails on one thread
  kRareFailing  // as kFailing, more of them and more schedules of each
};

struct Mutant {
  // By random Programs; `detector` is empty if no Program can reach the defect.
  struct ByPrograms {
    std::string detector;
    // Fires while the engine's rules are off; empty if none is tried.
    std::string without_rules;
    HuntKind hunt = HuntKind::kAny;
  };

  std::string name;
  const Scenario* scenario = nullptr;  // null: none, as of the control
  std::string detector;                // that fires in the scenario
  // The rule of engine_rules.h that the defect breaks; empty if its state always looks right.
  std::string rule;
  ByPrograms programs;
};

absl::StatusOr<Mutant> ParseMutant(absl::Span<const std::string_view> words);

}  // namespace twingrad::mutants

#endif  // PROPTESTS_MUTANTS_CONCURRENT_MUTANT_H_
