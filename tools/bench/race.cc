#include "tools/bench/race.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"

namespace twingrad::bench {
namespace {

using Graph = Timing (Contestant::*)(int64_t);

int64_t Runs(const RaceOptions& options, int64_t size) {
  return std::clamp<int64_t>(options.nodes_per_graph / size, 5, 201);
}

// Nanoseconds a node of each run of one contestant.
struct Lap {
  std::vector<double> forward;
  std::vector<double> backward;

  void Add(const Timing& timing, int64_t size) {
    forward.push_back(timing.forward_ns / static_cast<double>(size));
    backward.push_back(timing.backward_ns / static_cast<double>(size));
  }
};

void PrintLine(std::string_view graph, int64_t size, double first, double second,
               std::ostream& out) {
  out << absl::StreamFormat("%-18s %9d %12.1f %12.1f %8.1fx\n", graph, size, first, second,
                            second / first)
      << std::flush;
}

void RaceGraph(std::string_view name, Graph graph, int64_t size, Contestant& first,
               Contestant& second, const RaceOptions& options, std::ostream& out) {
  (first.*graph)(size);  // warm up both
  (second.*graph)(size);
  Lap a, b;
  for (int64_t run = 0; run < Runs(options, size); ++run) {
    a.Add((first.*graph)(size), size);
    b.Add((second.*graph)(size), size);
  }
  const bool has_forward = Median(b.forward) > 0;
  if (has_forward) {
    PrintLine(std::string(name) + " forward", size, Median(a.forward), Median(b.forward), out);
  }
  PrintLine(has_forward ? std::string(name) + " backward" : std::string(name), size,
            Median(a.backward), Median(b.backward), out);
}

}  // namespace

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void RunRace(Contestant& first, Contestant& second, const RaceOptions& options, std::ostream& out) {
  out << absl::StreamFormat("%-18s %9s %12s %12s %9s\n", "median ns a node", "nodes", first.name(),
                            second.name(), "ratio");
  const std::pair<std::string_view, Graph> graphs[] = {
      {"chain", &Contestant::Chain},
      {"ladder", &Contestant::Ladder},
      {"fan", &Contestant::Fan},
      {"y = y * w", &Contestant::Multiply},
  };
  for (const auto& [name, graph] : graphs) {
    for (const int64_t size : options.sizes) {
      RaceGraph(name, graph, size, first, second, options, out);
    }
  }
}

}  // namespace twingrad::bench
