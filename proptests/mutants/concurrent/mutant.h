// Mutant: what the checker must find for one planted defect. It is a row of BUILD.bazel in the form
// in which the test program receives it.
//
//   split_decrement scenario=two_into_one_slot 'detector=error' 'rule=run contributions'
//       'programs.detector=invariant' 'programs.without_rules=errors' 'programs.hunt=any'
//       'programs.seed=1'
//
// ParseMutant rejects unknown names of scenarios and hunts and lists the known ones.

#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "proptests/mutants/concurrent/program_hunt.h"
#include "proptests/mutants/concurrent/scenarios.h"

namespace twingrad::mutants {

struct Mutant {
  // How random Programs find it. `detector` is empty if no Program can reach the defect.
  struct ByPrograms {
    std::string detector;
    // The detector that fires while the engine's rules are off; empty if that is not tried.
    std::string without_rules;
    ProgramHunt hunt;  // which Programs are tried
  };

  std::string name;
  const Scenario* scenario = nullptr;  // null: none, as for the control
  std::string detector;                // fires in the scenario
  // The strategy that hunts in the scenario, one of strategies.h; empty: random.
  std::string strategy;
  // The rule of engine_rules.h that the defect breaks; empty if its state always looks right.
  std::string rule;
  ByPrograms programs;
};

absl::StatusOr<Mutant> ParseMutant(absl::Span<const std::string_view> words);

}  // namespace twingrad::mutants
