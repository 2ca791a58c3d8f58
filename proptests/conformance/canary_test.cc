// The canary, in adapters whose state breaks after an error and in such as are always wrong.

#include "proptests/conformance/canary.h"

#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "autograd/program/parse.h"
#include "gtest/gtest.h"

namespace twingrad::conformance {
namespace {

// A session whose last reply was an error.
std::unique_ptr<Session> AfterAnError(const char* fault) {
  SessionOptions options;
  options.command = {"proptests/mutants/adapter/faulty", fault};
  auto session = Session::Start(options);
  EXPECT_TRUE(session.ok()) << session.status();
  const auto program =
      *twingrad::program::Parse("twingrad 1\n%x = leaf type=f64[2] grad=1\nbackward %x\n");
  (*session)->Send(program);
  EXPECT_TRUE((*session)->Receive().observation.error) << fault;
  return *std::move(session);
}

TEST(CanaryTest, ABrokenStateIsToldAndEnds) {
  const auto session = AfterAnError("broken_after_error");
  Canary canary(session->hello());
  const auto judged = canary.Judge(*session);
  ASSERT_TRUE(judged);
  EXPECT_EQ(judged->rule, "canary");
  EXPECT_TRUE(absl::StrContains(judged->text, "expected 7\n  actual   14\n")) << judged->text;
  EXPECT_TRUE(absl::StrContains(judged->text, "in a fresh process it is right")) << judged->text;
  EXPECT_EQ(session->restarts(), 1u);
  EXPECT_FALSE(canary.Judge(*session));
}

TEST(CanaryTest, AnEngineThatIsWrongAnywaySaysNothing) {
  const auto session = AfterAnError("doubled");
  Canary canary(session->hello());
  EXPECT_FALSE(canary.Judge(*session));
  EXPECT_EQ(session->restarts(), 1u);
  EXPECT_FALSE(canary.Judge(*session));
  EXPECT_EQ(session->restarts(), 1u) << "it is not asked again";
}

TEST(CanaryTest, AllIsWell) {
  const auto session = AfterAnError("none");
  Canary canary(session->hello());
  EXPECT_FALSE(canary.Judge(*session));
  EXPECT_EQ(session->restarts(), 0u);
}

}  // namespace
}  // namespace twingrad::conformance
