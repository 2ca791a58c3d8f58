#include "proptests/workers/process.h"

#include <sched.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <thread>

#include "gtest/gtest.h"
#include "proptests/workers/files.h"

namespace twingrad::workers {
namespace {

TEST(ProcessTest, WhatAProgramPrintsIsInTheFileAndItsEndIsTold) {
  const TemporaryFolder folder = *TemporaryFolder::Make("process-test");
  const std::string file = folder.path() + "/output";
  EXPECT_EQ(EndText(*RunInto(file, {"sh", "-c", "echo said; exit 3"})), "exit status 3");
  EXPECT_EQ(*ReadInput(file), "said\n");
  EXPECT_EQ(EndText(*RunInto(file, {"sh", "-c", "kill -9 $$"})), "signal 9 (Killed)");
  EXPECT_EQ(RunInto(file, {"/no/such/program"}).status().message(), "No such file or directory");
}

// Uses so much of a processor, from the first that this process may use.
void SpinOnOneProcessor(std::chrono::milliseconds time) {
  cpu_set_t allowed, one;
  CPU_ZERO(&one);
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int first = 0;
  while (!CPU_ISSET(first, &allowed)) ++first;
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const std::clock_t end =
      std::clock() + static_cast<std::clock_t>(time.count()) * (CLOCKS_PER_SEC / 1000);
  while (std::clock() < end) {
  }
}

TEST(ProcessTest, WhoSharesAProcessorWaitsForIt) {
  if (!std::ifstream("/proc/self/task/" + std::to_string(gettid()) + "/schedstat")) {
    GTEST_SKIP() << "this kernel does not count how long threads wait; schedstat is missing";
  }
  const Waits before = WaitsForProcessor(getpid());
  Waits after;
  std::thread other([] { SpinOnOneProcessor(std::chrono::milliseconds(400)); });
  std::thread third([&] {
    SpinOnOneProcessor(std::chrono::milliseconds(400));
    after = WaitsForProcessor(getpid());
  });
  other.join();
  third.join();
  EXPECT_GE(LongestWait(before, after), std::chrono::milliseconds(50));
  EXPECT_TRUE(WaitsForProcessor(-1).empty());
}

TEST(ProcessTest, TheLongestWaitIsOfOneThread) {
  using std::chrono::nanoseconds;
  const Waits before = {{1, nanoseconds(900)}, {2, nanoseconds(10)}};
  EXPECT_EQ(LongestWait(before, before), nanoseconds(0));
  EXPECT_EQ(LongestWait(before, {{1, nanoseconds(905)}, {2, nanoseconds(30)}}), nanoseconds(20));
  EXPECT_EQ(LongestWait(before, {{2, nanoseconds(30)}, {3, nanoseconds(40)}}), nanoseconds(40));
}

}  // namespace
}  // namespace twingrad::workers
