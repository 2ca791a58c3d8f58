// Contestant: a process that builds and differentiates the graphs of the benchmark on one engine.
//
//   int main() { return Serve("twingrad", AllCases<Twingrad>()); }
//
// It reads lines `CASE SIZE` and answers each with one line of figures, as `forward 1.5 backward
// 2`: nanoseconds of the whole run, or bytes. A case that it does not have is `unknown`. So engines
// that cannot live in one process are raced alike, and so are two commits of one engine.
//
// A case builds its graph afresh, outside the clock; destroying it is not timed. One that takes
// less than 10 ms in all is run twice, and the second run counts. Single-threaded unless a case
// says so.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace twingrad::bench {

// What one run of a case gave: a name and a value each.
using Figures = std::vector<std::pair<std::string_view, double>>;
using CaseTable = std::map<std::string, std::function<Figures(int64_t)>, std::less<>>;

// Says `ready NAME`, then answers until its input ends. An exception of a case is answered with
// `error WHAT`. Returns the exit status.
int Serve(std::string_view name, const CaseTable& cases);

// Runs `work` and returns the nanoseconds that it took.
template <typename Work>
double TimeNs(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

// The same of one of `times` repetitions, for work that is too short to be timed alone.
template <typename Work>
double TimeNs(int64_t times, const Work& work) {
  return TimeNs([&] {
           for (int64_t i = 0; i < times; ++i) work();
         }) /
         static_cast<double>(times);
}

// Bytes of this process that lie in memory.
int64_t ResidentBytes();

}  // namespace twingrad::bench
