#include "proptests/workers/process.h"

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

}  // namespace
}  // namespace twingrad::workers
