// The rules over the production engine, whose state keeps them, and over uses that break them.
// Broken copies of the engine are the business of //proptests/mutants/concurrent.
#include "proptests/interleave/engine/engine_rules.h"

#include <map>
#include <string>
#include <typeindex>

#include "autograd/engine/front_end.h"
#include "autograd/graph/variable.h"
#include "autograd/ops/ops.h"
#include "gtest/gtest.h"
#include "proptests/interleave/checker/explore.h"

namespace twingrad::interleave {
namespace {

// EngineRules that counts what it is told.
class CountingRules final : public StateRules {
 public:
  void Begin() override { rules_.Begin(); }
  void Appear(const std::type_info& type, const void* object) override {
    ++appeared[type];
    rules_.Appear(type, object);
  }
  void Vanish(const std::type_info& type, const void* object) override {
    ++vanished[type];
    rules_.Vanish(type, object);
  }
  bool Touch(const void* cell) override { return rules_.Touch(cell); }
  std::optional<BrokenRule> Check() override {
    ++checks;
    return rules_.Check();
  }
  bool HasSeenAll() const override { return rules_.HasSeenAll(); }

  std::map<std::type_index, int> appeared;
  std::map<std::type_index, int> vanished;
  int checks = 0;

 private:
  EngineRules rules_;
};

// Two devices into one leaf, twice.
void TwoLanes() {
  Engine engine({.device_threads = 2});
  Tensor x = Tensor::Scalar(1, DType::kF64, Device::Cpu());
  SetRequiresGrad(x, true);
  const Tensor a = ops::To(x, Device::Sim(0));
  const Tensor b = ops::To(x, Device::Sim(1));
  for (int i = 0; i < 2; ++i) {
    Backward({a, b}, {}, {.retain_graph = true, .engine = &engine});
  }
  engine.Stop();
}

// Rules: F1.
TEST(EngineRulesTest, TheEngineKeepsThemAndNoObjectEscapesThem) {
  CountingRules rules;
  const Report report = Explore({.schedules = 300, .rules = &rules}, TwoLanes);
  EXPECT_TRUE(report.ok()) << report.text;
  EXPECT_EQ(rules.appeared[typeid(WorkerGroup)], 300);
  EXPECT_EQ(rules.appeared[typeid(SharedRun)], 600);
  // One a worker, one for invitations, one a run.
  EXPECT_EQ(rules.appeared[typeid(ReadyQueue)], 5 * 300);
  EXPECT_EQ(rules.appeared, rules.vanished);
  EXPECT_GT(rules.checks, 20 * report.schedules);
}

TEST(EngineRulesTest, APushAfterTheShutdownIsSeenAtOnce) {
  EngineRules rules;
  const auto body = [] {
    ReadyQueue queue;
    queue.PushShutdown();
    queue.Push({});
    sync::Mutex later;
    for (int i = 0; i < 10; ++i) sync::MutexLock lock(later);
  };
  EXPECT_TRUE(Explore({.schedules = 1}, body).ok()) << "nothing else sees it";
  const Report report = Explore({.schedules = 1, .rules = &rules}, body);
  ASSERT_EQ(report.outcome.kind, OutcomeKind::kInvariant) << report.text;
  EXPECT_NE(report.text.find("queue shut down: 1 tasks were pushed since; allowed are none"),
            std::string::npos)
      << report.text;
  EXPECT_EQ(std::string(report.outcome.events.back().operation.name), "ready_queue");
}

}  // namespace
}  // namespace twingrad::interleave
