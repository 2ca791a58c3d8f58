// What the examples share: their arguments, and how they end.
//
//   const Arguments arguments = ArgumentsOf(argc, argv);   // --seed=N --svg=FILE
//   ...
//   return Finish(arguments, losses, score, kGoal);
//
// A wrong argument ends the program with status 2.

#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tools/examples/curve.h"
#include "tools/examples/score.h"

namespace twingrad::examples {

struct Arguments {
  uint64_t seed = 1;
  std::string svg = {};  // the file to draw to, or none
};

inline Arguments ArgumentsOf(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.substr(0, 7) == "--seed=") {
      arguments.seed = std::strtoull(argv[i] + 7, nullptr, 10);
    } else if (argument.substr(0, 6) == "--svg=") {
      arguments.svg = argument.substr(6);
    } else {
      std::fprintf(stderr, "unknown argument %s; allowed: --seed=N --svg=FILE\n", argv[i]);
      std::exit(2);
    }
  }
  return arguments;
}

// Prints the last line and draws the losses of the batches. The exit status: 0 if the loss is below
// the goal, 1 if not, 2 if the picture cannot be written.
inline int Finish(const Arguments& arguments, const std::vector<double>& losses, const Score& score,
                  double goal) {
  std::printf("end        loss %.4f  accuracy %.3f  seed %llu\n", score.loss, score.accuracy,
              static_cast<unsigned long long>(arguments.seed));
  if (!arguments.svg.empty()) {
    std::ofstream file(arguments.svg);
    file << SvgOf({.title = "loss of a batch", .x = "step", .values = losses});
    if (!file.flush()) {
      std::fprintf(stderr, "cannot write %s\n", arguments.svg.c_str());
      return 2;
    }
  }
  if (score.loss < goal) return 0;
  std::fprintf(stderr, "the loss %.4f is not below %.2f\n", score.loss, goal);
  return 1;
}

}  // namespace twingrad::examples
