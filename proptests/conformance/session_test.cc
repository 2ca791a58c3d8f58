// The pipe, over shell scripts that behave well and badly, and over the faulty adapter.

#include "proptests/conformance/session.h"

#include <csignal>
#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "proptests/conformance/testing_engines.h"

namespace twingrad::conformance {
namespace {

using std::chrono::milliseconds;
using twingrad::program::Program;
using Kind = Reply::Kind;

constexpr char kHello[] = "hello 1 name=a version=1 ops=leaf dtypes=f64";

// A shell that says hello and then runs `script`.
SessionOptions Shell(const std::string& script) {
  return Command({"sh", "-c", absl::StrCat("read line; echo '", kHello, "'; ", script)});
}

Reply RunOnce(SessionOptions options) {
  auto session = Session::Start(std::move(options));
  EXPECT_TRUE(session.ok()) << session.status();
  if (!session.ok()) return {};
  const Program program = Square();
  (*session)->Send(program);
  return (*session)->Receive();
}

// The same of such a shell that reads a Program's first line.
Reply RunOnce(const std::string& script) { return RunOnce(Shell("read line; " + script)); }

TEST(SessionTest, RunsPrograms) {
  auto session = Session::Start(Faulty("none"));
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ((*session)->hello().name, "faulty");
  const Program program = Square();
  for (int i = 0; i < 3; ++i) {
    (*session)->Send(program);
    const Reply reply = (*session)->Receive();
    ASSERT_EQ(reply.kind, Kind::kObserved) << reply.text;
    EXPECT_TRUE(reply.observation.values[0].grad_defined);
    EXPECT_EQ(reply.observation.calls.size(), 1u);
  }
  EXPECT_EQ((*session)->restarts(), 0u);
}

TEST(SessionTest, WhatCannotShakeHandsIsNamed) {
  const auto message = [](std::vector<std::string> words) {
    SessionOptions options = Command(std::move(words));
    return std::string(Session::Start(options).status().message());
  };
  EXPECT_TRUE(absl::StartsWith(
      message({"/no/such/program", "7"}),
      "[protocol] in the handshake with `/no/such/program 7`: the adapter ended with exit status "
      "127 before its reply; allowed is `hello 1 ...` within 60 s; start that command by hand"));
  EXPECT_TRUE(absl::StartsWith(
      message({"echo", "good day"}),
      "[protocol] in the handshake with `echo good day`: the line `good day` is no reply; "
      "allowed are"))
      << message({"echo", "good day"});
  EXPECT_TRUE(absl::StrContains(message({"sh", "-c", "echo oh dear >&2; exit 3"}), "oh dear"));
  EXPECT_TRUE(absl::StrContains(message({"echo", "good day"}), "`good day` is no reply"));
  EXPECT_TRUE(absl::StrContains(message({"echo", "ok 1 0"}), "the first reply is none to `hello`"));
  EXPECT_TRUE(absl::StrContains(message({"echo", "hello 1"}), "name= is missing"));
  SessionOptions silent = Command({"sleep", "1000"});
  silent.start_timeout = milliseconds(100);
  EXPECT_TRUE(absl::StrContains(Session::Start(silent).status().message(), "no reply after 0.1 s"));
}

TEST(SessionTest, EachFaultIsToldForWhatItIs) {
  EXPECT_EQ(RunOnce(Faulty("crash")).kind, Kind::kCrash);
  EXPECT_EQ(RunOnce(Faulty("early_exit")).kind, Kind::kCrash);
  EXPECT_EQ(RunOnce(Faulty("garbage")).kind, Kind::kProtocol);
  EXPECT_EQ(RunOnce(Faulty("endless")).kind, Kind::kProtocol);
  EXPECT_EQ(RunOnce(Faulty("twice")).kind, Kind::kProtocol);
  SessionOptions hang = Faulty("hang");
  hang.timeout = milliseconds(200);
  EXPECT_EQ(RunOnce(hang).kind, Kind::kHang);
  hang.command = Faulty("truncated").command;
  EXPECT_EQ(RunOnce(hang).kind, Kind::kHang);
  SessionOptions memory = Faulty("memory");
  memory.memory = uint64_t{256} << 20;
  EXPECT_EQ(RunOnce(memory).kind, Kind::kMemory);
}

TEST(SessionTest, TheMemoryOfThisProcessIsNotTheAdapters) {
  const std::vector<char> held(size_t{400} << 20, 'x');
  SessionOptions options = Faulty("crash");
  options.memory = uint64_t{256} << 20;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(RunOnce(options).kind, Kind::kCrash);
  EXPECT_EQ(held.back(), 'x');
}

TEST(SessionTest, RepliesThatBreakTheRules) {
  EXPECT_EQ(RunOnce("echo 'skip 1 not done'; cat >/dev/null").kind, Kind::kSkipped);
  const Reply failed = RunOnce("echo 'error 1 no memory'; cat >/dev/null");
  EXPECT_EQ(failed.kind, Kind::kProtocol);
  EXPECT_EQ(failed.text, "the adapter failed: no memory");
  EXPECT_TRUE(absl::StrContains(RunOnce("echo 'ok 2 0'; cat >/dev/null").text,
                                "a reply to case 2; allowed is one to case 1"));
  const Reply broken = RunOnce("printf 'ok 1 6\\nvalue\\n'; cat >/dev/null");
  EXPECT_TRUE(absl::StrContains(broken.text, "reply line 1")) << broken.text;
  const Reply silent = RunOnce("echo sorry >&2; exit 4");
  EXPECT_EQ(silent.kind, Kind::kCrash);
  EXPECT_TRUE(absl::StrContains(silent.text, "exit status 4"));
  EXPECT_TRUE(absl::StrContains(silent.output, "sorry"));
}

// Each ends within its time, in a verdict that says what the adapter has done.
TEST(SessionTest, AwkwardAdapters) {
  const auto told = [](const std::string& script, Kind kind) {
    SessionOptions options = Shell(absl::StrCat("read line; ", script));
    options.timeout = milliseconds(300);
    const Reply reply = RunOnce(options);
    EXPECT_EQ(reply.kind, kind) << script << ": " << reply.text;
    return reply.text;
  };
  using absl::StrContains;
  EXPECT_TRUE(StrContains(told("while :; do echo no >&2; done", Kind::kHang), "no reply"));
  EXPECT_TRUE(StrContains(told("exec <&-; sleep 1000", Kind::kHang), "no reply after 0.3 s"));
  EXPECT_TRUE(StrContains(told("exec >&-; sleep 1000", Kind::kProtocol),
                          "closed its standard output and lives on"));
  EXPECT_TRUE(StrContains(told("trap '' TERM INT HUP; sleep 1000", Kind::kHang), "no reply"));
  EXPECT_TRUE(StrContains(told("kill -STOP $$", Kind::kHang), "no reply"));
  EXPECT_TRUE(StrContains(told("sleep 1000 & exit 3", Kind::kCrash), "exit status 3"));
  EXPECT_EQ(told("printf 'ok 1'; sleep 1000", Kind::kHang),
            "no complete reply after 0.3 s, only `ok 1` without the end of its line");
  EXPECT_EQ(told("printf 'ok 1 9\\nvalue'; sleep 1000", Kind::kHang),
            "no complete reply after 0.3 s, only 5 of the 9 bytes of its body");
  for (const char* number : {"-1", "99999999999999999999", "1x", ""}) {
    EXPECT_TRUE(StrContains(
        told(absl::StrCat("echo 'ok ", number, " 0'; sleep 1000"), Kind::kProtocol), "[protocol] "))
        << number;
    EXPECT_TRUE(
        StrContains(told(absl::StrCat("echo 'ok 1 ", number, "'; sleep 1000"), Kind::kProtocol),
                    "lacks the size of its body"))
        << number;
  }
  EXPECT_TRUE(StrContains(told(absl::StrCat("echo '", kHello, "'; sleep 1000"), Kind::kProtocol),
                          "a second hello; allowed is a reply to case 1"));
  EXPECT_EQ(told("printf 'error 1 \\033[31m\\001no\\n'; sleep 1000", Kind::kProtocol),
            "the adapter failed: .[31m.no");
}

TEST(SessionTest, AfterACrashTheNextProgramFindsAFreshChild) {
  auto session = Session::Start(Faulty("crash"));
  ASSERT_TRUE(session.ok());
  const Program program = Square();
  const Program harmless = Parsed("%x = leaf type=f64[] data=3\n");
  for (int i = 0; i < 3; ++i) {
    (*session)->Send(program);
    EXPECT_EQ((*session)->Receive().kind, Kind::kCrash);
    (*session)->Send(harmless);
    EXPECT_EQ((*session)->Receive().kind, Kind::kObserved);
  }
  EXPECT_EQ((*session)->restarts(), 3u);
  EXPECT_EQ((*session)->killed(), 0u);
}

// Killed between two Programs and while one runs: each gives its reply, once.
TEST(SessionTest, AKilledChildLosesNothing) {
  auto session = Session::Start(Faulty("none"));
  ASSERT_TRUE(session.ok());
  const Program program = Square();
  for (int i = 0; i < 20; ++i) {
    if (i % 2 == 0) kill((*session)->pid(), SIGKILL);
    (*session)->Send(program);
    if (i % 2 == 1) kill((*session)->pid(), SIGKILL);
    const Reply reply = (*session)->Receive();
    EXPECT_EQ(reply.kind, Kind::kObserved) << i << ": " << reply.text;
  }
  EXPECT_GE((*session)->killed(), 10u);
}

TEST(SessionTest, AChildDiesWithItsSessionAndSoDoesItsGroup) {
  int child = -1;
  {
    auto session = Session::Start(Shell("sleep 1000 & wait"));
    ASSERT_TRUE(session.ok());
    child = (*session)->pid();
    EXPECT_EQ(kill(-child, 0), 0);
  }
  // The sleep is reaped by init.
  for (int i = 0; i < 1000 && kill(-child, 0) == 0; ++i) usleep(10000);
  EXPECT_NE(kill(-child, 0), 0);
}

TEST(SessionTest, WhatHasLeftTheGroupDiesWithItsSession) {
  const std::string file = absl::StrCat(testing::TempDir(), "/escaped");
  int escaped = -1;
  {
    auto session = Session::Start(
        Shell(absl::StrCat("read line; setsid sleep 1000 & echo $! >'", file, "'; exit 3")));
    ASSERT_TRUE(session.ok());
    const Program program = Square();
    (*session)->Send(program);
    const Reply reply = (*session)->Receive();
    EXPECT_TRUE(absl::StrContains(reply.text, "exit status 3")) << reply.text;
    std::ifstream(file) >> escaped;
    ASSERT_GT(escaped, 0);
  }
  for (int i = 0; i < 1000 && kill(escaped, 0) == 0; ++i) usleep(10000);
  EXPECT_NE(kill(escaped, 0), 0);
}

}  // namespace
}  // namespace twingrad::conformance
