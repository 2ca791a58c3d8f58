// Litmus tests: small programs over atomics whose outcomes under C++20 are known (golden/litmus).
//
// Each runs under the buffered memory many times. Every outcome must be one that the standard
// allows, and all that it allows must be seen, but for those that no interleaving shows. Under the
// sequentially consistent memory the outcomes are a subset.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "autograd/sync/sync.h"
#include "gtest/gtest.h"
#include "proptests/interleave/checker/fiber_scheduler.h"
#include "proptests/interleave/strategies/buffered_strategy.h"
#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/interleave/strategies/replay_strategy.h"

namespace twingrad::interleave {
namespace {

struct Litmus {
  std::string name;
  std::vector<std::vector<std::vector<std::string>>> threads;  // words of operations
  std::vector<std::string> observed;
  std::set<std::string> allowed;
  std::set<std::string> not_modelled;
};

Litmus ReadLitmus(const std::filesystem::path& path) {
  Litmus litmus;
  litmus.name = path.stem().string();
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.empty() || words[0] == "#") continue;
    if (words[0] == "thread") {
      litmus.threads.emplace_back();
    } else if (words[0] == "observe") {
      litmus.observed.assign(words.begin() + 1, words.end());
    } else if (words[0] == "outcome") {
      const std::string outcome =
          absl::StrJoin(std::vector<std::string>(words.begin() + 2, words.end()), " ");
      (words[1] == "allowed" ? litmus.allowed : litmus.not_modelled).insert(outcome);
    } else {
      litmus.threads.back().push_back(std::move(words));
    }
  }
  return litmus;
}

std::vector<Litmus> AllLitmus() {
  std::vector<Litmus> all;
  for (const auto& entry : std::filesystem::directory_iterator("golden/litmus")) {
    if (entry.path().extension() == ".litmus") all.push_back(ReadLitmus(entry.path()));
  }
  std::ranges::sort(all, {}, &Litmus::name);
  return all;
}

sync::MemoryOrder OrderOf(const std::string& word) {
  static const std::map<std::string, sync::MemoryOrder> orders = {
      {"relaxed", sync::kRelaxed}, {"acquire", sync::kAcquire}, {"release", sync::kRelease},
      {"acq_rel", sync::kAcqRel},  {"seq_cst", sync::kSeqCst},
  };
  return orders.at(word);
}

// The state of one run. Registers belong to the thread that sets them, until it is joined.
struct Machine {
  std::map<std::string, std::unique_ptr<sync::Atomic<int>>> locations;
  std::map<std::string, std::unique_ptr<sync::Cell<int>>> cells;
  std::map<std::string, int> registers;

  explicit Machine(const Litmus& litmus) {
    for (const auto& thread : litmus.threads) {
      for (const auto& words : thread) Prepare(words);
    }
  }

  void Prepare(const std::vector<std::string>& words) {
    const std::string& kind = words[0];
    if (kind == "put" || kind == "get") {
      cells.try_emplace(words[1], std::make_unique<sync::Cell<int>>());
    } else if (kind == "store") {
      locations.try_emplace(words[1], std::make_unique<sync::Atomic<int>>());
    } else if (kind != "fence") {
      registers[words[1]] = -1;
      locations.try_emplace(words[2], std::make_unique<sync::Atomic<int>>());
    }
  }

  void Do(const std::vector<std::string>& words) {
    const std::string& kind = words[0];
    const sync::MemoryOrder order =
        kind == "put" || kind == "get" ? sync::kRelaxed : OrderOf(words.back());
    if (kind == "store") {
      locations.at(words[1])->Store(std::stoi(words[2]), order);
    } else if (kind == "load") {
      registers.at(words[1]) = locations.at(words[2])->Load(order);
    } else if (kind == "add") {
      registers.at(words[1]) = locations.at(words[2])->FetchAdd(std::stoi(words[3]), order);
    } else if (kind == "cas") {
      int expected = std::stoi(words[3]);
      locations.at(words[2])->CompareExchangeStrong(expected, std::stoi(words[4]),
                                                    OrderOf(words[5]), order);
      registers.at(words[1]) = expected;
    } else if (kind == "fence") {
      sync::Fence(order);
    } else if (kind == "put") {
      cells.at(words[1])->Write(1);
    } else if (words.size() == 2 || registers.at(words[3]) == std::stoi(words[4])) {
      cells.at(words[1])->Read();
    }
  }

  std::string Outcome(const Litmus& litmus) const {
    std::vector<std::string> parts;
    for (const auto& [name, value] : registers) parts.push_back(absl::StrCat(name, "=", value));
    for (const std::string& name : litmus.observed) {
      parts.push_back(absl::StrCat(name, "=", locations.at(name)->Load(sync::kRelaxed)));
    }
    return absl::StrJoin(parts, " ");
  }
};

// Runs the threads; what they show goes to `shown`.
std::function<void()> BodyOf(const Litmus& litmus, std::string& shown) {
  return [&litmus, &shown] {
    Machine machine(litmus);
    std::vector<std::unique_ptr<sync::Thread>> threads;
    for (const auto& operations : litmus.threads) {
      threads.push_back(std::make_unique<sync::Thread>("thread", [&machine, &operations] {
        for (const auto& words : operations) machine.Do(words);
      }));
    }
    for (const auto& thread : threads) thread->Join();
    shown = machine.Outcome(litmus);
  };
}

// What `schedules` executions under the strategy show.
std::set<std::string> Outcomes(const Litmus& litmus, Strategy& strategy, int schedules) {
  FiberScheduler scheduler;
  std::set<std::string> seen;
  for (int seed = 1; seed <= schedules; ++seed) {
    std::string shown;
    const ExecutionOutcome outcome =
        scheduler.Run(BodyOf(litmus, shown), strategy, static_cast<uint64_t>(seed), {});
    if (outcome.kind == OutcomeKind::kRace) {
      seen.insert("race");
    } else {
      EXPECT_TRUE(outcome.ok()) << outcome.message;
      seen.insert(shown);
    }
  }
  return seen;
}

TEST(LitmusTest, BufferedMemoryShowsWhatTheStandardAllows) {
  const std::vector<Litmus> all = AllLitmus();
  ASSERT_GE(all.size(), 25u);
  for (const Litmus& litmus : all) {
    SCOPED_TRACE(litmus.name);
    BufferedStrategy strategy({.stale_percent = 50, .switch_percent = 40, .spurious_percent = 0});
    const std::set<std::string> seen = Outcomes(litmus, strategy, 4000);
    for (const std::string& outcome : seen) {
      EXPECT_TRUE(litmus.allowed.contains(outcome)) << outcome << " is forbidden";
    }
    for (const std::string& outcome : litmus.allowed) {
      EXPECT_TRUE(seen.contains(outcome)) << outcome << " is never shown";
    }
    for (const std::string& outcome : litmus.not_modelled) {
      EXPECT_FALSE(seen.contains(outcome)) << outcome << " is modelled after all: mend the file";
    }
  }
}

TEST(LitmusTest, SequentialMemoryShowsASubset) {
  int fewer = 0;
  for (const Litmus& litmus : AllLitmus()) {
    SCOPED_TRACE(litmus.name);
    RandomStrategy strategy({.switch_percent = 40, .spurious_percent = 0});
    const std::set<std::string> seen = Outcomes(litmus, strategy, 1000);
    for (const std::string& outcome : seen) EXPECT_TRUE(litmus.allowed.contains(outcome));
    // Races do not need a stale load to be seen.
    EXPECT_EQ(seen.contains("race"), litmus.allowed.contains("race"));
    fewer += seen.size() < litmus.allowed.size() ? 1 : 0;
  }
  EXPECT_GE(fewer, 8);
}

TEST(LitmusTest, AReplayRepeatsStaleLoads) {
  for (const Litmus& litmus : AllLitmus()) {
    if (litmus.name != "iriw-acquire") continue;
    FiberScheduler scheduler;
    int stale = 0;
    for (uint64_t seed = 1; seed <= 200; ++seed) {
      std::string shown;
      const auto body = BodyOf(litmus, shown);
      BufferedStrategy strategy;
      const ExecutionOutcome first = scheduler.Run(body, strategy, seed, {});
      const std::string before = shown;
      ReplayStrategy replay(first.decisions);
      const ExecutionOutcome again = scheduler.Run(body, replay, seed, {});
      EXPECT_EQ(again.decisions, first.decisions);
      EXPECT_EQ(shown, before);
      stale += MemoryOf(first.decisions) == Memory::kBuffered ? 1 : 0;
    }
    EXPECT_GE(stale, 50);
  }
}

}  // namespace
}  // namespace twingrad::interleave
