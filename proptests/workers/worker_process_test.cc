#include "proptests/workers/worker_process.h"

#include <csignal>

#include <poll.h>
#include <unistd.h>

#include "gtest/gtest.h"
#include "proptests/workers/fake_cases.h"
#include "proptests/workers/process.h"

namespace twingrad::workers {
namespace {

using Cause = Death::Cause;

class WorkerProcessTest : public testing::Test {
 protected:
  std::unique_ptr<WorkerProcess> Start() const {
    absl::StatusOr<std::unique_ptr<WorkerProcess>> worker =
        WorkerProcess::Spawn(command_, "worker");
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

  // How it ends when a fresh worker judges it.
  Death DeathBy(const std::string& program) const { return DeathBy(*Start(), program); }

  TemporaryFolder folder_ = *TemporaryFolder::Make("worker-process-test");
  WorkerCommand command_ = FakeWorker(folder_);
};

TEST_F(WorkerProcessTest, AnswersAndFinishesWhenItsChannelCloses) {
  const auto worker = Start();
  EXPECT_EQ(worker->channel().Receive(true)->value("type", ""), "ready");
  worker->channel().Send({{"type", "judge"}, {"program", "value 1\nvalue 2\n"}});
  const nlohmann::json reply = *worker->channel().Receive(true);
  EXPECT_EQ(reply.value("type", ""), "result");
  EXPECT_FALSE(reply["result"].get<CaseResult>().failed);
  EXPECT_EQ(CommittedProgress(worker->record()).counters[1], 2u);
  EXPECT_FALSE(worker->Reap().has_value());
}

TEST_F(WorkerProcessTest, ACrashIsToldWithItsSignalAndOutput) {
  const auto worker = Start();
  const Death death = DeathBy(*worker, "value 1\ncrash\n");
  EXPECT_EQ(death.cause, Cause::kCrash);
  EXPECT_EQ(death.reason, "signal 6 (Aborted)");
  EXPECT_EQ(RecordedProgram(worker->record()), "value 1\ncrash\n");
  EXPECT_NE(worker->OutputTail().find("about to crash"), std::string::npos);
}

TEST_F(WorkerProcessTest, AnExitIsACrash) {
  const Death death = DeathBy("exit\n");
  EXPECT_EQ(death.cause, Cause::kCrash);
  EXPECT_EQ(death.reason, "exit status 42");
}

TEST_F(WorkerProcessTest, AHangIsKilled) {
  command_.limits.timeout = std::chrono::milliseconds(200);
  const Death death = DeathBy("hang\n");
  EXPECT_EQ(death.cause, Cause::kHang);
  EXPECT_EQ(death.reason, "no end after 0.2 s");
}

TEST_F(WorkerProcessTest, GrowthIsKilled) {
  command_.limits.memory = uint64_t{1} << 30;  // sanitizers need some hundreds of MiB themselves
  const Death death = DeathBy("memory\n");
  EXPECT_EQ(death.cause, Cause::kMemory);
  EXPECT_NE(death.reason.find("MiB of memory, allowed are 1024 MiB"), std::string::npos);
}

TEST_F(WorkerProcessTest, RunningOutOfMemoryIsTheSame) {
  EXPECT_EQ(DeathBy("throw\n").cause, Cause::kMemory);
}

TEST_F(WorkerProcessTest, AKillFromOutsideIsToldApart) {
  const auto worker = Start();
  worker->channel().Receive(true);
  kill(worker->pid(), SIGKILL);
  EXPECT_EQ(DeathBy(*worker, "value 1\n").cause, Cause::kKilled);
}

TEST_F(WorkerProcessTest, RequestsToEndAreForTheParent) {
  const auto worker = Start();
  for (const int signal : kRequests) kill(worker->pid(), signal);  // as it starts
  EXPECT_EQ(worker->channel().Receive(true)->value("type", ""), "ready");
  for (const int signal : kRequests) kill(worker->pid(), signal);
  worker->channel().Send({{"type", "judge"}, {"program", "value 1\n"}});
  EXPECT_EQ(worker->channel().Receive(true)->value("type", ""), "result");
}

TEST_F(WorkerProcessTest, AnEngineThatCannotStartIsToldApart) {
  for (const char* fault : {"--ops=cannot_start", "--ops=die_starting"}) {
    command_.flags = {fault};
    EXPECT_EQ(DeathBy("value 1\n").cause, Cause::kCannotStart) << fault;
  }
}

TEST_F(WorkerProcessTest, AMissingExecutableIsAnError) {
  command_.executable = "no/such/file";
  EXPECT_EQ(
      WorkerProcess::Spawn(command_, "worker").status().message(),
      "[oracle] cannot start a worker from no/such/file (No such file or directory); needed are "
      "free processes and descriptors; free some");
}

TEST_F(WorkerProcessTest, LeavesNoProcessBehind) {
  pid_t pid = 0;
  {
    const auto worker = Start();
    pid = worker->pid();
    worker->channel().Send({{"type", "judge"}, {"program", "hang\n"}});
  }
  EXPECT_EQ(kill(pid, 0), -1);
}

}  // namespace
}  // namespace twingrad::workers
