// Benchmark: this engine against libtorch on the same graphs, in one process, run by run in turn.
//
//   tools/bazel run --config=opt //tools/bench:engine -- --sizes=1000,1000000

#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/numbers.h"
#include "tools/bench/race.h"

ABSL_FLAG(std::vector<std::string>, sizes, {}, "nodes of each graph, e.g. 1000,1000000");
ABSL_FLAG(int64_t, nodes_per_graph, 3'000'000, "repeat each graph until this many nodes have run");

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  twingrad::bench::RaceOptions options;
  options.nodes_per_graph = absl::GetFlag(FLAGS_nodes_per_graph);
  if (!absl::GetFlag(FLAGS_sizes).empty()) options.sizes.clear();
  for (const std::string& text : absl::GetFlag(FLAGS_sizes)) {
    int64_t size = 0;
    if (!absl::SimpleAtoi(text, &size) || size < 2 || size > 10'000'000) {
      std::cerr << "[bench] --sizes holds '" << text
                << "'; a size is a whole number from 2 to 10000000; try --sizes=1000,1000000\n";
      return 2;
    }
    options.sizes.push_back(size);
  }
  const std::unique_ptr<twingrad::bench::Contestant> ours = twingrad::bench::MakeTwingrad();
  const std::unique_ptr<twingrad::bench::Contestant> theirs = twingrad::bench::MakeLibtorch();
  twingrad::bench::RunRace(*ours, *theirs, options, std::cout);
  return 0;
}
