// Race: runs the same graphs on two contestants in turn and prints medians and their ratio.
//
// The two take turns run by run, so that a change of the machine's speed meets both alike.

#pragma once

#include <cstdint>
#include <ostream>
#include <string_view>
#include <vector>

#include "tools/bench/contestant.h"

namespace twingrad::bench {

// The middle value; the mean of the two middle ones where their number is even. `values` is not
// empty.
double Median(std::vector<double> values);

struct RaceOptions {
  // Sizes of the hand-built graphs, in nodes.
  std::vector<int64_t> sizes = {1'000, 10'000, 100'000, 1'000'000};
  // Runs of a graph are repeated until about this many nodes were executed, 5 to 201 times.
  int64_t nodes_per_graph = 3'000'000;
};

// Prints one line a graph and size: median ns a node of both contestants, and second / first.
void RunRace(Contestant& first, Contestant& second, const RaceOptions& options, std::ostream& out);

}  // namespace twingrad::bench
