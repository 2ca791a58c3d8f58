// `check` over an engine that destroys graphs by recursion: only a Program with a graph of many
// thousand nodes shows it. It is found, as a crash, and shrunk by half and more.

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "proptests/generators/generate.h"
#include "proptests/workers/worker.h"
#include "tools/oracle/testing_tool.h"

namespace twingrad::oracle {
namespace {

constexpr uint64_t kPrograms = 50;

// A run whose first Programs hold one with a long graph, which is a chain from this seed on: those
// before are wide.
constexpr uint64_t kFirstSeed = 5105;

uint64_t SeedOfARun() {
  for (uint64_t seed = kFirstSeed;; ++seed) {
    for (uint64_t i = 0; i < kPrograms; ++i) {
      if (generators::IsLongSample(workers::ProgramSeed(seed, i))) return seed;
    }
  }
}

// Of the tool and its workers. A large stack has room for frames of all nodes.
void SetStack(rlim_t bytes) {
  rlimit stack = {};
  getrlimit(RLIMIT_STACK, &stack);
  stack.rlim_cur = bytes;
  setrlimit(RLIMIT_STACK, &stack);
}

class DeepTest : public ToolTest {
 protected:
  DeepTest() : ToolTest("tools/oracle/recursive_release_oracle") {}
};

TEST_F(DeepTest, RecursionAlongTheGraphIsFoundAndShrunk) {
  SetStack(rlim_t{512} << 10);
  const SubprocessResult run =
      Tool({"check", absl::StrCat("--seed=", SeedOfARun()), absl::StrCat("--programs=", kPrograms),
            "--jobs=1", "--findings=1"});
  EXPECT_EQ(run.exit_status, 1) << run.output << run.errors;
  ASSERT_EQ(Findings().size(), 1u) << run.output << run.errors;
  EXPECT_THAT(run.output, HasSubstr("crash while judging the program"));
  const std::string folder = Findings()[0];
  const auto statements = [&folder](const std::string& file) {
    const std::string text = Read(folder + file);
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_GT(statements("/original.txt"), 30'000);
  EXPECT_LT(statements("/program.txt"), 20'000);
  EXPECT_GT(statements("/program.txt"), 1'000);

  // How deep it goes differs by a few frames from process to process.
  SetStack(rlim_t{448} << 10);
  const SubprocessResult again = Tool({"replay", folder});
  EXPECT_EQ(again.exit_status, 1) << again.output;
  EXPECT_THAT(again.output, StartsWith("the finding still shows: crash"));
}

}  // namespace
}  // namespace twingrad::oracle
