// One use of each third-party library, so that a broken pin or build file shows here and not deep
// in the engine.
#include <arb.h>
#include <dnnl.h>
#include <hwy/highway.h>

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/flags/flag.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "benchmark/benchmark.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"

ABSL_FLAG(int, unused, 0, "shows that flags link");

namespace {

namespace context = boost::context;

TEST(Abseil, MapStatusAndFormat) {
  absl::flat_hash_map<std::string, int> map;
  map["a"] = 1;
  const absl::StatusOr<int> value = map["a"];
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(absl::StrFormat("%d", *value), absl::StrCat(1));
}

TEST(Highway, SaysWhatTheProcessorCanDo) { EXPECT_NE(hwy::SupportedTargets(), 0); }

TEST(OneDnn, MatrixProduct) {
  const float a[] = {1, 2, 3, 4};
  float product[4];
  ASSERT_EQ(dnnl_sgemm('N', 'N', 2, 2, 2, 1, a, 2, a, 2, 0, product, 2), dnnl_success);
  EXPECT_EQ(product[3], 22);
}

TEST(Arb, AThirdTimesThreeHoldsOne) {
  arb_t ball;
  arb_init(ball);
  arb_set_ui(ball, 1);
  arb_div_ui(ball, ball, 3, 128);
  EXPECT_FALSE(arb_is_exact(ball));
  arb_mul_ui(ball, ball, 3, 128);
  EXPECT_TRUE(arb_contains_si(ball, 1));
  arb_clear(ball);
}

TEST(Json, RoundTrip) {
  const nlohmann::json j = {{"count", 3}};
  EXPECT_EQ(nlohmann::json::parse(j.dump()), j);
}

TEST(Boost, FiberSwitchesAndCarriesExceptions) {
  int steps = 0;
  context::fiber fiber(std::allocator_arg, context::protected_fixedsize_stack(64 * 1024),
                       [&](context::fiber&& caller) {
                         ++steps;
                         caller = std::move(caller).resume();
                         try {
                           throw std::runtime_error("inside");
                         } catch (const std::runtime_error&) {
                           ++steps;
                         }
                         return std::move(caller);
                       });
  fiber = std::move(fiber).resume();
  EXPECT_EQ(steps, 1);
  fiber = std::move(fiber).resume();
  EXPECT_EQ(steps, 2);
  EXPECT_FALSE(fiber);
}

TEST(Benchmark, RunsAFixedNumberOfIterations) {
  int runs = 0;
  benchmark::RegisterBenchmark("count", [&](benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) ++runs;
  })->Iterations(5);
  EXPECT_EQ(benchmark::RunSpecifiedBenchmarks(), 1U);
  EXPECT_EQ(runs, 5);
}

RC_GTEST_PROP(RapidCheck, ReverseTwiceIsIdentity, (const std::vector<int>& v)) {
  std::vector<int> w(v.rbegin(), v.rend());
  std::vector<int> u(w.rbegin(), w.rend());
  RC_ASSERT(u == v);
}

}  // namespace
