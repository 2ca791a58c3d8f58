// Every golden and every finding on the libtorch that this machine has, as its list says.

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "proptests/workers/subprocess.h"

namespace twingrad::oracle {
namespace {

TEST(LibtorchConformTest, FailsWhereItsListSaysAndNowhereElse) {
  const SubprocessResult run =
      RunSubprocess({"tools/oracle/oracle_alone", "conform", "--engine=libtorch"});
  EXPECT_EQ(run.exit_status, 0) << run.output << run.errors
                                << "replay: tools/bazel run //tools/oracle -- conform "
                                   "--engine=libtorch [--update]";
  EXPECT_TRUE(absl::StrContains(run.output, "all as golden/expected/libtorch-")) << run.output;
}

}  // namespace
}  // namespace twingrad::oracle
