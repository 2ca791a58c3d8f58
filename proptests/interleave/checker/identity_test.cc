// What lives at an address after something else did is another object.
#include <optional>
#include <utility>

#include "autograd/sync/sync.h"
#include "gtest/gtest.h"
#include "proptests/interleave/checker/explore.h"

namespace twingrad::interleave {
namespace {

// Nothing orders the two writes: what the first thread released died before the second could come
// to it, and what it comes to lives at the same address by chance.
template <class Guard>
void WriteUnderTwoLivesOfOneAddress() {
  std::optional<Guard> guard(std::in_place);
  sync::Cell<int> cell{0};
  sync::Atomic<int> life{0};
  sync::Thread other("other", [&] {
    while (life.Load(sync::kRelaxed) == 0) {
    }
    guard->Use([&] { cell.Write(2); });
  });
  guard->Use([&] { cell.Write(1); });
  guard.emplace();
  life.Store(1, sync::kRelaxed);
  other.Join();
}

struct MutexGuard {
  template <class Body>
  void Use(const Body& body) {
    sync::MutexLock lock(mutex);
    body();
  }
  sync::Mutex mutex;
};
struct AtomicGuard {
  template <class Body>
  void Use(const Body& body) {
    flag.Load(sync::kAcquire);
    body();
    flag.Store(1, sync::kRelease);
  }
  sync::Atomic<int> flag{0};
};

TEST(IdentityTest, AnObjectInheritsNoOrderFromTheOneThatHadItsAddress) {
  for (const auto& body : {&WriteUnderTwoLivesOfOneAddress<MutexGuard>,
                           &WriteUnderTwoLivesOfOneAddress<AtomicGuard>}) {
    const Report report = Explore({.schedules = 50}, body);
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.outcome.kind, OutcomeKind::kRace) << report.text;
  }
}

}  // namespace
}  // namespace twingrad::interleave
