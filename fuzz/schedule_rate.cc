// How many inputs a second engine_schedules runs on one core without libFuzzer and sanitizers:
//
//   tools/bazel run //fuzz:schedule_rate -- [SECONDS] [FOLDER]
//
// Does what libFuzzer does: takes an input that has shown something new, mutates it a few times and
// runs each. Prints runs per second of processor time and what was seen of the interleavings, for
// each tenth of the time. Writes the inputs that it has kept into FOLDER, which must exist.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "proptests/fuzzing/schedule_fuzzer.h"
#include "proptests/fuzzing/schedule_input.h"
#include "proptests/interleave/strategies/random_strategy.h"

namespace twingrad {
namespace {

constexpr size_t kMaxSize = 4096;
constexpr int kMutations = 20;

double Seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

int64_t Seen(const fuzzing::ScheduleFuzzer& fuzzer) {
  return fuzzer.feedback().seen_pairs() + fuzzer.feedback().seen_fingerprints();
}

int Main(double seconds, const char* folder) {
  std::array<uint8_t, 1 << 13> extra = {};
  fuzzing::ScheduleFuzzer fuzzer({.extra = absl::MakeSpan(extra)});
  std::vector<fuzzing::Bytes> kept = {{}};
  interleave::SplitMix random(1);
  std::printf("seconds,runs,runs/s,pairs,fingerprints,kept\n");
  double next = seconds / 10;
  int64_t before = 0;
  for (double now = Seconds(); now < seconds; now = Seconds()) {
    fuzzing::Bytes input = kept[static_cast<size_t>(random.Below(static_cast<int>(kept.size())))];
    for (int i = 0; i < kMutations; ++i) {
      input = fuzzing::MutateInput(input, kMaxSize, random.Next(), nullptr);
      const int64_t seen = Seen(fuzzer);
      if (fuzzer.Run(input) && Seen(fuzzer) > seen) kept.push_back(input);
    }
    if (now < next) continue;
    std::printf("%.1f,%lld,%.0f,%lld,%lld,%zu\n", now, static_cast<long long>(fuzzer.runs()),
                static_cast<double>(fuzzer.runs() - before) / (seconds / 10),
                static_cast<long long>(fuzzer.feedback().seen_pairs()),
                static_cast<long long>(fuzzer.feedback().seen_fingerprints()), kept.size());
    std::fflush(stdout);
    before = fuzzer.runs();
    next += seconds / 10;
  }
  for (size_t i = 1; folder != nullptr && i < kept.size(); ++i) {
    std::ofstream file(std::string(folder) + "/" + std::to_string(i), std::ios::binary);
    std::copy(kept[i].begin(), kept[i].end(), std::ostreambuf_iterator<char>(file));
  }
  return 0;
}

}  // namespace
}  // namespace twingrad

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 20;
  return twingrad::Main(seconds > 0 ? seconds : 20, argc > 2 ? argv[2] : nullptr);
}
