#include "proptests/workers/worker_process.h"

#include <csignal>

#include <poll.h>
#include <unistd.h>

#include "gtest/gtest.h"
#include "proptests/workers/files.h"

namespace twingrad::workers {
namespace {

using Cause = Death::Cause;

class WorkerProcessTest : public testing::Test {
 protected:
  WorkerCommand Command() const {
    WorkerCommand command;
    command.executable = "proptests/workers/fake_worker";
    command.folder = folder_.path();
    return command;
  }

  static std::unique_ptr<WorkerProcess> Start(const WorkerCommand& command) {
    absl::StatusOr<std::unique_ptr<WorkerProcess>> worker = WorkerProcess::Spawn(command, "worker");
    EXPECT_TRUE(worker.ok()) << worker.status();
    return *std::move(worker);
  }

  // How the worker ends when it judges this Program, with its limits enforced.
  static Death DeathBy(WorkerProcess& worker, const std::string& program) {
    worker.channel().Send({{"type", "judge"}, {"program", program}});
    while (true) {
      if (const std::optional<Death> death = worker.Reap()) return *death;
      worker.EnforceLimits();
      pollfd fd = {worker.channel().fd(), POLLIN, 0};
      poll(&fd, 1, 10);
      worker.channel().Receive(false);
    }
  }

  TemporaryFolder folder_ = *TemporaryFolder::Make("worker-process-test");
};

TEST_F(WorkerProcessTest, AnswersAndFinishesWhenItsChannelCloses) {
  const auto worker = Start(Command());
  EXPECT_EQ(worker->channel().Receive(true)->value("type", ""), "ready");
  worker->channel().Send({{"type", "judge"}, {"program", "value 1\nvalue 2\n"}});
  const nlohmann::json reply = *worker->channel().Receive(true);
  EXPECT_EQ(reply.value("type", ""), "result");
  EXPECT_FALSE(ResultFromJson(reply["result"]).failed);
  EXPECT_EQ(CommittedProgress(worker->record()).counters[1], 2u);
  EXPECT_FALSE(worker->Reap().has_value());
}

TEST_F(WorkerProcessTest, ACrashIsToldWithItsSignalAndOutput) {
  const auto worker = Start(Command());
  const Death death = DeathBy(*worker, "value 1\ncrash\n");
  EXPECT_EQ(death.cause, Cause::kCrash);
  EXPECT_EQ(death.reason, "signal 6 (Aborted)");
  EXPECT_EQ(RecordedProgram(worker->record()), "value 1\ncrash\n");
  EXPECT_NE(worker->OutputTail().find("about to crash"), std::string::npos);
}

TEST_F(WorkerProcessTest, AnExitIsACrash) {
  const auto worker = Start(Command());
  const Death death = DeathBy(*worker, "exit\n");
  EXPECT_EQ(death.cause, Cause::kCrash);
  EXPECT_EQ(death.reason, "exit status 42");
}

TEST_F(WorkerProcessTest, AHangIsKilled) {
  WorkerCommand command = Command();
  command.limits.timeout = std::chrono::milliseconds(200);
  const auto worker = Start(command);
  const Death death = DeathBy(*worker, "hang\n");
  EXPECT_EQ(death.cause, Cause::kHang);
  EXPECT_EQ(death.reason, "no end after 0.2 s");
}

TEST_F(WorkerProcessTest, GrowthIsKilled) {
  WorkerCommand command = Command();
  command.limits.memory = uint64_t{1} << 30;  // sanitizers need some hundreds of MiB themselves
  const auto worker = Start(command);
  const Death death = DeathBy(*worker, "memory\n");
  EXPECT_EQ(death.cause, Cause::kMemory);
  EXPECT_NE(death.reason.find("MiB of memory, allowed are 1024 MiB"), std::string::npos);
}

TEST_F(WorkerProcessTest, RunningOutOfMemoryIsTheSame) {
  const auto worker = Start(Command());
  EXPECT_EQ(DeathBy(*worker, "throw\n").cause, Cause::kMemory);
}

TEST_F(WorkerProcessTest, AKillFromOutsideIsToldApart) {
  const auto worker = Start(Command());
  worker->channel().Receive(true);
  kill(worker->pid(), SIGKILL);
  EXPECT_EQ(DeathBy(*worker, "value 1\n").cause, Cause::kKilled);
}

TEST_F(WorkerProcessTest, AnEngineThatCannotStartIsToldApart) {
  for (const char* fault : {"--ops=cannot_start", "--ops=die_starting"}) {
    WorkerCommand command = Command();
    command.flags = {fault};
    const auto worker = Start(command);
    EXPECT_EQ(DeathBy(*worker, "value 1\n").cause, Cause::kCannotStart) << fault;
  }
}

TEST_F(WorkerProcessTest, AMissingExecutableIsAnError) {
  WorkerCommand command = Command();
  command.executable = "no/such/file";
  EXPECT_EQ(
      WorkerProcess::Spawn(command, "worker").status().message(),
      "[oracle] cannot start a worker from no/such/file (No such file or directory); needed are "
      "free processes and descriptors; free some");
}

TEST_F(WorkerProcessTest, LeavesNoProcessBehind) {
  pid_t pid = 0;
  {
    const auto worker = Start(Command());
    pid = worker->pid();
    worker->channel().Send({{"type", "judge"}, {"program", "hang\n"}});
  }
  EXPECT_EQ(kill(pid, 0), -1);
}

}  // namespace
}  // namespace twingrad::workers
