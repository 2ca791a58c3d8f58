// Scenarios: the smallest use of the engine in which each planted concurrency defect can show.
//
// Each builds an engine and a graph of a few nodes, runs it, and says what is wrong with what it
// sees: the right answer is known, so no witness is needed. Compiled against the model it is the
// body of an exploration; compiled against the standard back end it runs on real threads, where
// some nodes take a millisecond, as kernels do, while they are one step of the model.

#ifndef PROPTESTS_MUTANTS_CONCURRENT_SCENARIOS_H_
#define PROPTESTS_MUTANTS_CONCURRENT_SCENARIOS_H_

#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "autograd/engine/observer.h"

namespace twingrad::mutants {

struct Scenario {
  std::string_view name;
  int nodes;             // of its graphs
  std::string (*run)();  // empty: all is as it must be
};

absl::Span<const Scenario> Scenarios();
// Null: there is none of this name.
const Scenario* FindScenario(std::string_view name);
// Null: nobody watches. While no scenario runs.
void ObserveScenarios(twingrad::EngineObserver* of_engines);

}  // namespace twingrad::mutants

#endif  // PROPTESTS_MUTANTS_CONCURRENT_SCENARIOS_H_
