// Shows what nodes note under anomaly mode, and that it costs no node outside.

#include "autograd/graph/anomaly.h"

#include <cstdint>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/graph/hooks.h"
#include "autograd/graph/test_nodes.h"

namespace twingrad {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// As a thread that evaluates `node`.
class Evaluating {
 public:
  explicit Evaluating(Node* node) : before_(std::exchange(CurrentThread().node, node)) {}
  ~Evaluating() { CurrentThread().node = before_; }
  Evaluating(const Evaluating&) = delete;
  Evaluating& operator=(const Evaluating&) = delete;

 private:
  Node* before_;
};

// Rules: N3.
TEST(AnomalyTest, GuardsNestAndRestoreTheModeBefore) {
  EXPECT_FALSE(AnomalyMode::IsEnabled());
  {
    DetectAnomalyGuard outer(/*check_nan=*/false);
    EXPECT_TRUE(AnomalyMode::IsEnabled());
    EXPECT_FALSE(AnomalyMode::ShouldCheckNan());
    {
      DetectAnomalyGuard inner;
      EXPECT_TRUE(AnomalyMode::ShouldCheckNan());
      AnomalyMode::SetEnabled(false);
      EXPECT_FALSE(AnomalyMode::IsEnabled());
    }
    EXPECT_TRUE(AnomalyMode::IsEnabled());
    EXPECT_FALSE(AnomalyMode::ShouldCheckNan());
  }
  EXPECT_FALSE(AnomalyMode::IsEnabled());
  EXPECT_TRUE(AnomalyMode::ShouldCheckNan());
}

// Rules: N1.
TEST(AnomalyTest, OutsideNothingIsNoted) {
  const NodePtr node = MakePass({});
  EXPECT_EQ(node->extras(), nullptr);
  EXPECT_EQ(DescribeOrigin(*node),
            "  in Pass, made where anomaly mode was off; turn it on before the forward "
            "computation");
}

// Rules: C10, N1.
TEST(AnomalyTest, NodesNoteTheLabelAndWhatInducedThem) {
  DetectAnomalyGuard anomaly({.capture_stacks = false});
  NodePtr first;
  NodePtr second;
  NodePtr third;
  {
    AnomalyLabel label("the encoder");
    first = MakePass({});
  }
  {
    Evaluating scope(first.get());
    second = MakePass({});
  }
  {
    Evaluating scope(second.get());
    AnomalyLabel outer("the penalty");
    AnomalyLabel label("its norm");
    third = MakePass({});
  }
  EXPECT_EQ(OriginOf(*third)->parent, second);
  EXPECT_EQ(DescribeOrigin(*third),
            "  in Pass, made in its norm\n"
            "  induced by Pass, made\n"
            "  induced by Pass, made in the encoder");
}

[[gnu::noinline]] NodePtr MakePassInAFunctionOfItsOwn() {
  NodePtr node = MakePass({});
  EXPECT_TRUE(node->device().IsCpu());
  return node;
}

// Rules: N1.
TEST(AnomalyTest, NodesNoteTheStack) {
  DetectAnomalyGuard anomaly;
  const NodePtr node = MakePassInAFunctionOfItsOwn();
  EXPECT_GT(OriginOf(*node)->num_frames, 2);
  const std::string text = DescribeOrigin(*node);
  EXPECT_THAT(text, HasSubstr("\n    at "));
  EXPECT_THAT(text, HasSubstr("MakePassInAFunctionOfItsOwn"));
  EXPECT_THAT(text, Not(HasSubstr("NoteOrigin")));
}

// Rules: C8, N1.
TEST(AnomalyTest, LongChainsOfOriginsAreDescribedInPartAndDestroyedWithoutRecursion) {
  constexpr int kLength = 100'000;
  DetectAnomalyGuard anomaly({.capture_stacks = false});
  NodePtr last = MakePass({});
  for (int i = 1; i < kLength; ++i) {
    Evaluating scope(last.get());
    last = MakePass({});
  }
  const std::string text = DescribeOrigin(*last);
  EXPECT_THAT(text, HasSubstr("\n  induced by others"));
  EXPECT_LT(text.size(), 2000u);
  last = nullptr;
}

}  // namespace
}  // namespace twingrad
