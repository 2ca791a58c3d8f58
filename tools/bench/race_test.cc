#include "tools/bench/race.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"

namespace twingrad::bench {
namespace {

using testing::HasSubstr;

// Takes a fixed time a node, and counts its runs.
class Clockwork : public Contestant {
 public:
  Clockwork(std::string_view name, double ns) : name_(name), ns_(ns) {}
  std::string_view name() const override { return name_; }
  Timing Chain(int64_t n) override { return Run(n); }
  Timing Ladder(int64_t n) override { return Run(n); }
  Timing Fan(int64_t n) override { return Run(n); }
  Timing Multiply(int64_t n) override {
    Timing timing = Run(n);
    timing.forward_ns = 2 * timing.backward_ns;
    return timing;
  }
  int runs = 0;

 private:
  Timing Run(int64_t n) {
    ++runs;
    return {.forward_ns = 0, .backward_ns = ns_ * static_cast<double>(n)};
  }
  const std::string name_;
  const double ns_;
};

TEST(Median, TakesTheMiddle) {
  EXPECT_EQ(Median({3, 1, 2}), 2);
  EXPECT_EQ(Median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(Median({7}), 7);
}

TEST(RunRace, PrintsMediansAndTheirRatioOncePerGraphAndSize) {
  Clockwork fast("fast", 50), slow("slow", 1000);
  std::ostringstream out;
  RunRace(fast, slow, {.sizes = {100, 1000}, .nodes_per_graph = 10'000}, out);
  const std::string text = out.str();
  EXPECT_THAT(text, HasSubstr("chain                    100         50.0       1000.0     20.0x"));
  EXPECT_THAT(text, HasSubstr("y = y * w forward"));
  EXPECT_THAT(text, HasSubstr("y = y * w backward"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 2 * 5) << text;
}

TEST(RunRace, GivesBothTheSameNumberOfRuns) {
  Clockwork a("a", 1), b("b", 1);
  std::ostringstream out;
  RunRace(a, b, {.sizes = {1000}, .nodes_per_graph = 10'000}, out);
  EXPECT_EQ(a.runs, b.runs);
  EXPECT_EQ(a.runs, 4 * (1 + 10));  // four graphs, a warm-up and 10'000 / 1000 runs each
}

}  // namespace
}  // namespace twingrad::bench
