// All goldens on the adapter that the environment variable ENGINE names, against its engine's list
// of known failures, strict both ways. The engine calls itself as its adapter is called.

#include <cstdlib>
#include <string>

#include "tools/oracle/testing_tool.h"

namespace twingrad::oracle {
namespace {

TEST(NamedConformTest, FailsWhereItsListSaysAndNowhereElse) {
  const char* engine = std::getenv("ENGINE");
  ASSERT_NE(engine, nullptr) << "its rule in BUILD.bazel sets ENGINE";
  const std::string name = engine;
  const SubprocessResult run =
      RunSubprocess({"tools/oracle/oracle_alone", "conform", "--engine=" + name});
  EXPECT_EQ(run.exit_status, 0) << run.output << run.errors
                                << "replay: tools/bazel run //tools/oracle -- conform --engine="
                                << name << " [--update]";
  EXPECT_THAT(run.output, HasSubstr("all as golden/expected/" + name + "-"));
}

}  // namespace
}  // namespace twingrad::oracle
