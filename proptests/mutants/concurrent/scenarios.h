// Scenarios: the smallest use of the engine in which each planted concurrency defect can show.
//
// Each builds an engine and a graph of a few nodes, runs it and says what is wrong with the result:
// the right answer is known, so no witness is needed. Compiled against the model, it is the body of
// an exploration. Compiled against the standard back end, it runs on real threads; there some nodes
// take a millisecond, as kernels do, while in the model they take one step.

#pragma once

#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "autograd/engine/observer.h"

namespace twingrad::mutants {

struct Scenario {
  std::string_view name;
  int nodes;             // of its graphs
  std::string (*run)();  // returns what is wrong; empty if nothing is
};

absl::Span<const Scenario> Scenarios();
// Null if there is no scenario of this name.
const Scenario* FindScenario(std::string_view name);
// Sets the observer of the scenarios' engines; null removes it. Call it while no scenario runs.
void ObserveScenarios(EngineObserver* of_engines);

}  // namespace twingrad::mutants
