#include "proptests/judge/engine_run.h"

#include <memory>

#include <sys/wait.h>
#include <unistd.h>

#include "absl/base/config.h"
#include "autograd/program/parse.h"
#include "gtest/gtest.h"
#include "proptests/judge/canary.h"

namespace twingrad::judge {
namespace {

TEST(EngineRun, OneEngineServesManyProgramsOnAnyNumberOfThreads) {
  EngineRun run;
  for (int threads : {0, 1, 2, 4, 2, 0}) {
    const oracles::Verdict verdict = JudgeCanary(run(CanaryProgram(), threads));
    EXPECT_EQ(verdict.outcome, oracles::Outcome::kAgree) << verdict.text;
  }
}

// A fork copies no threads: the child's sections run on threads of their own.
TEST(EngineRun, AForkedChildRunsSectionsToo) {
#if defined(ABSL_HAVE_THREAD_SANITIZER)
  GTEST_SKIP() << "ThreadSanitizer lets no child of a process with threads start threads";
#endif
  const auto program = program::Parse(
      "twingrad 1\n"
      "%x = leaf type=f64[] data=3 grad=1\n"
      "begin kind=thread\n"
      "%a = mul %x %x\n"
      "backward %a\n"
      "end\n");
  ASSERT_TRUE(program.ok()) << program.status();
  ASSERT_NE(program->statements.size() % 8, 0u);
  auto run = std::make_unique<EngineRun>();
  const auto seen = (*run)(*program, 0);
  ASSERT_TRUE(seen.values[0].grad_defined);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);  // should it wait for a thread that is not there
    const bool is_same = (*run)(*program, 0).values[0].grad == seen.values[0].grad;
    run.reset();
    _exit(is_same ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace twingrad::judge
