#include "proptests/findings/drawing.h"

#include "autograd/program/parse.h"
#include "gtest/gtest.h"

namespace twingrad::findings {
namespace {

using twingrad::program::CallRecord;
using twingrad::program::NodeRecord;
using twingrad::program::NodeRole;
using twingrad::program::Observation;

twingrad::program::Program Square() {
  return *twingrad::program::Parse(
      "twingrad 1\n%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbackward %y\n");
}

Observation Observed() {
  CallRecord call;
  call.statement = 2;
  NodeRecord mul;
  mul.name = {NodeRole::kStatement, 1, 0};
  mul.next_edges = {{1, 0}, {1, 0}};
  NodeRecord leaf;
  leaf.name = {NodeRole::kAccumulateGrad, 0, 0};
  call.nodes = {mul, leaf};
  call.roots = {{0, 0}};
  call.dependencies = {-1, 2};
  call.executed = {0, 1};
  Observation observation;
  observation.calls = {call};
  return observation;
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(DrawingTest, ShowsNodesEdgesCountsAndOrder) {
  const std::string dot = DrawGraphs(Square(), Observed(), {});
  EXPECT_TRUE(Has(dot, "label=\"call 0: backward %y\"")) << dot;
  EXPECT_TRUE(Has(dot, "c0n0 [label=\"mul@1\\n%y = mul %x %x\\ndependencies 0, ran as number 1\"]"))
      << dot;
  EXPECT_TRUE(Has(dot, "dependencies 2, ran as number 2\"]")) << dot;
  EXPECT_TRUE(Has(dot, "c0n0 -> c0n1 [taillabel=\"0\"]\n    c0n0 -> c0n1 [taillabel=\"1\"]\n"))
      << dot;
  EXPECT_TRUE(Has(dot, "c0r0 -> c0n0")) << dot;
  EXPECT_FALSE(Has(dot, "red")) << dot;
}

TEST(DrawingTest, MarksStatementsAndShowsWhatDidNotRun) {
  Observation observation = Observed();
  observation.calls[0].executed = {0};
  const std::string dot = DrawGraphs(Square(), observation, {1});
  EXPECT_TRUE(Has(dot, "ran as number 1\" color=red fontcolor=red penwidth=3]")) << dot;
  EXPECT_TRUE(Has(dot, "did not run\" style=dashed]")) << dot;
}

TEST(DrawingTest, WithoutNodesTheStatementsAreDrawn) {
  const std::string dot = DrawGraphs(Square(), Observation(), {1});
  EXPECT_TRUE(Has(dot, "s1 [label=\"%y = mul %x %x\" color=red")) << dot;
  EXPECT_TRUE(Has(dot, "s0 -> s1\n  s0 -> s1\n")) << dot;
  EXPECT_TRUE(Has(dot, "s1 -> s2\n")) << dot;
}

TEST(DrawingTest, CutsLongLinesAndQuotes) {
  std::string data = "0";
  for (int i = 1; i < 100; ++i) data += ",0";
  const auto program =
      *twingrad::program::Parse("twingrad 1\n%x = leaf type=f64[100] data=" + data + "\n");
  const std::string dot = DrawGraphs(program, Observation(), {});
  EXPECT_TRUE(Has(dot, "...\"]")) << dot;
  EXPECT_LT(dot.size(), 400u);
}

}  // namespace
}  // namespace twingrad::findings
