// Threads that read saved tensors, and those that wait for them.

#include "autograd/graph/saved_readers.h"

#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "autograd/sync/thread.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

TEST(SavedReadersTest, AScopeGivesAPlaceOfItsOwn) {
  EXPECT_EQ(CurrentThread().reader, nullptr);
  {
    const SavedReaders::Scope outer(true);
    SavedReader* const place = CurrentThread().reader;
    EXPECT_NE(place, nullptr);
    {
      const SavedReaders::Scope nested(true);
      EXPECT_NE(CurrentThread().reader, nullptr);
      EXPECT_NE(CurrentThread().reader, place);
      const SavedReaders::Scope releases(false);
      EXPECT_EQ(CurrentThread().reader, nullptr);
    }
    EXPECT_EQ(CurrentThread().reader, place);
  }
  EXPECT_EQ(CurrentThread().reader, nullptr);
}

TEST(SavedReadersTest, WhoFindsNoPlaceTakesLocks) {
  std::vector<std::unique_ptr<SavedReaders::Scope>> scopes;
  int places = 0;
  for (int i = 0; i < 100; ++i) {
    scopes.push_back(std::make_unique<SavedReaders::Scope>(true));
    places += CurrentThread().reader != nullptr ? 1 : 0;
  }
  EXPECT_EQ(places, 64);
  while (!scopes.empty()) scopes.pop_back();
  EXPECT_EQ(CurrentThread().reader, nullptr);
  const SavedReaders::Scope again(true);
  EXPECT_NE(CurrentThread().reader, nullptr);
}

TEST(SavedReadersTest, NothingIsReadWhileItsLockIsHeld) {
  const SavedReaders::Scope scope(true);
  LockByte lock{1}, other{0};
  EXPECT_FALSE(CurrentThread().reader->Begin(lock));
  SavedReaders::WaitFor(lock);  // nobody reads
  ASSERT_TRUE(CurrentThread().reader->Begin(other));
  SavedReaders::WaitFor(lock);
  CurrentThread().reader->End();
  SavedReaders::WaitFor(other);
}

// What another thread of the parent was reading stays named in the child for ever.
TEST(SavedReadersTest, AForkedChildNeitherReadsNorWaits) {
  const SavedReaders::Scope scope(true);
  LockByte lock{0};
  ASSERT_TRUE(CurrentThread().reader->Begin(lock));
  const pid_t child = fork();
  if (child == 0) {
    SavedReaders::WaitFor(lock);
    const bool reads = CurrentThread().reader->Begin(lock);
    const SavedReaders::Scope another(true);
    _exit(reads || CurrentThread().reader != nullptr ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  CurrentThread().reader->End();
}

TEST(SavedReadersTest, WhoReleasesWaitsForWhoReads) {
  for (int round = 0; round < 200; ++round) {
    LockByte lock{0};
    int value = 1;  // guarded by `lock`
    int seen = 1;
    sync::Thread reader("reader", [&] {
      const SavedReaders::Scope scope(true);
      if (!CurrentThread().reader->Begin(lock)) return;
      seen = value;
      CurrentThread().reader->End();
    });
    while (lock.Exchange(1, sync::kSeqCst) != 0) sync::Thread::Yield();
    SavedReaders::WaitFor(lock);
    value = 2;
    reader.Join();
    EXPECT_EQ(seen, 1);
  }
}

}  // namespace
}  // namespace twingrad
