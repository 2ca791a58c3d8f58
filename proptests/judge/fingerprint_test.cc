#include "proptests/judge/fingerprint.h"

#include <utility>

#include "proptests/oracles/oracle_test_support.h"

namespace twingrad::judge {
namespace {

using twingrad::program::Observation;

TEST(Fingerprint, SeesEveryPart) {
  const Observation right = oracles::Trial(oracles::kProduct).observed;
  EXPECT_EQ(FingerprintOf(right), FingerprintOf(Observation(right)));
  const auto differs = [&right](const auto& change) {
    Observation other = right;
    change(other);
    return FingerprintOf(other) != FingerprintOf(right);
  };
  EXPECT_TRUE(differs([](Observation& o) { o.values[0].version = 7; }));
  EXPECT_TRUE(differs([](Observation& o) { o.values[0].grad.bits[0] ^= 1; }));
  EXPECT_TRUE(differs([](Observation& o) { o.calls[0].dependencies[0] += 1; }));
  EXPECT_TRUE(differs([](Observation& o) { o.late_write = {.value = 0, .statement = 5}; }));
  EXPECT_TRUE(differs([](Observation& o) { o.error = {{}, 3, ""}; }));
  EXPECT_TRUE(differs([](Observation& o) { o.warnings.emplace_back(); }));
  EXPECT_TRUE(differs([](Observation& o) { o.survived.push_back({{}, 3, ""}); }));
}

TEST(Fingerprint, OfTheOrderSeesTheOrderAlone) {
  const Observation right = oracles::Trial(oracles::kProduct).observed;
  Observation other = right;
  other.values[0].version = 7;
  EXPECT_EQ(OrderFingerprintOf(other), OrderFingerprintOf(right));
  std::swap(other.calls[0].executed[0], other.calls[0].executed[1]);
  EXPECT_NE(OrderFingerprintOf(other), OrderFingerprintOf(right));
}

}  // namespace
}  // namespace twingrad::judge
