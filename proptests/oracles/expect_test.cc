#include "proptests/oracles/expect.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>

#include "autograd/program/parse.h"

namespace twingrad::oracles {
namespace {

using program::Observation;
using program::Program;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

program::TensorData Doubles(std::initializer_list<double> elements) {
  program::TensorData data;
  data.dtype = DType::kF64;
  data.shape = {static_cast<int64_t>(elements.size())};
  for (double e : elements) {
    data.bits.push_back(e != e ? 0x7ff8000000000000 : std::bit_cast<uint64_t>(e));
  }
  return data;
}

// One value %x, one call at statement 1 with two nodes.
Observation Seen() {
  Observation seen;
  program::ValueRecord x;
  x.defined = true;
  x.requires_grad = true;
  x.data = Doubles({1, -0.0, kNan});
  x.version = 2;
  x.grad_defined = true;
  x.grad = Doubles({5, 6, 7});
  seen.values = {x};
  program::CallRecord call;
  call.statement = 1;
  call.nodes.resize(2);
  call.nodes[1].name = {program::NodeRole::kAccumulateGrad, 0, 0};
  call.dependencies = {-1, 3};
  call.executed = {0, 1};
  seen.calls = {call};
  return seen;
}

size_t CountUnmet(const std::string& expectation, const Observation& seen = Seen()) {
  auto program = program::Parse("twingrad 1\n%x = leaf type=f64[3] grad=1\nbackward %x seeds=%x\n" +
                                expectation + "\n");
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? UnmetExpectations(*program, seen).size() : 99;
}

TEST(Expect, Values) {
  EXPECT_EQ(CountUnmet("expect %x kind=value data=1,-0,nan"), 0u);
  EXPECT_EQ(CountUnmet("expect %x kind=value type=f64[3] data=1,-0,nan"), 0u);
  EXPECT_EQ(CountUnmet("expect %x kind=value data=1,0,nan"), 1u);
  Observation narrow = Seen();
  narrow.values[0].data.dtype = DType::kF32;
  EXPECT_EQ(CountUnmet("expect %x kind=value data=1,-0,nan", narrow), 0u);
  EXPECT_EQ(CountUnmet("expect %x kind=value type=f64[3] data=1,-0,nan", narrow), 1u);
  EXPECT_EQ(CountUnmet("expect %x kind=value type=f64[3]", narrow), 1u);
  EXPECT_EQ(CountUnmet("expect %x kind=undefined"), 1u);
}

TEST(Expect, GradientsAndFlags) {
  EXPECT_EQ(CountUnmet("expect %x kind=grad data=5,6,7"), 0u);
  EXPECT_EQ(CountUnmet("expect %x kind=grad data=5,6,8"), 1u);
  EXPECT_EQ(CountUnmet("expect %x kind=undefined_grad"), 1u);
  EXPECT_EQ(CountUnmet("expect %x kind=requires_grad"), 0u);
  EXPECT_EQ(CountUnmet("expect %x kind=no_requires_grad"), 1u);
  EXPECT_EQ(CountUnmet("expect %x kind=version count=2"), 0u);
  EXPECT_EQ(CountUnmet("expect %x kind=version count=1"), 1u);
}

TEST(Expect, Calls) {
  EXPECT_EQ(CountUnmet("expect %x kind=dependencies count=3"), 0u);
  EXPECT_EQ(CountUnmet("expect %x kind=dependencies count=3 at=1"), 0u);
  EXPECT_EQ(CountUnmet("expect %x kind=dependencies count=2"), 1u);
  EXPECT_EQ(CountUnmet("expect %x kind=executed count=1"), 0u);
  EXPECT_EQ(CountUnmet("expect %x kind=executed count=0"), 1u);
}

TEST(Expect, Errors) {
  EXPECT_EQ(CountUnmet("expect kind=error error=freed"), 1u);
  Observation seen = Seen();
  seen.error = program::ErrorRecord{ErrorKind::kFreed, 1, "used twice"};
  EXPECT_EQ(CountUnmet("expect kind=error error=freed at=1", seen), 0u);
  EXPECT_EQ(CountUnmet("expect kind=error error=freed at=0", seen), 1u);
  EXPECT_EQ(CountUnmet("expect kind=error error=version", seen), 1u);
  // One that nobody expects.
  EXPECT_EQ(CountUnmet("expect %x kind=requires_grad", seen), 1u);
}

TEST(Expect, SaysWhatWasExpectedAndWhatIs) {
  auto program =
      program::Parse("twingrad 1\n%x = leaf type=f64[3] grad=1\nexpect %x kind=grad data=5,6,8\n");
  ASSERT_TRUE(program.ok());
  const auto unmet = UnmetExpectations(*program, Seen());
  ASSERT_EQ(unmet.size(), 1u);
  EXPECT_EQ(unmet[0].statement, 1);
  EXPECT_EQ(unmet[0].text,
            "statement 1: expect %x kind=grad: expected f64[3] 5,6,8, it is f64[3] 5,6,7");
}

}  // namespace
}  // namespace twingrad::oracles
