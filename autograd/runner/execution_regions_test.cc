// Shows what regions switch on the engine, and that it is switched back however a region ends.

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "autograd/engine/engine.h"
#include "autograd/graph/anomaly.h"
#include "autograd/program/parse.h"
#include "autograd/runner/run.h"
#include "autograd/runner/test_program.h"

namespace twingrad {
namespace {

using program::Observation;
using program::Program;
using runner::Parsed;

// Rules: N1, N2.
TEST(Regions, OfAnomalyModeMakeNanAnErrorThatNamesTheStatement) {
  const Program program = Parsed(R"(%x = leaf type=f64[] data=0 grad=1
begin kind=anomaly
%y = sqrt %x
%z = mul %y %x
begin kind=try
backward %z
end
end
%w = mul %x %x
begin kind=try
begin kind=anomaly
backward %z
end
end
begin kind=anomaly
%v = sqrt %x
%u = mul %v %x
backward %u
end
)");
  for (const int threads : {0, 2}) {
    Engine engine({.device_threads = threads});
    const Observation seen = runner::Run(program, engine);
    ASSERT_EQ(seen.survived.size(), 2u);
    EXPECT_EQ(seen.survived[0].error, ErrorKind::kAnomaly);
    EXPECT_EQ(seen.survived[0].statement, 5);
    EXPECT_NE(seen.survived[0].message.find("\n  in SqrtBackward, made in statement 2"),
              std::string::npos)
        << seen.survived[0].message;
    EXPECT_EQ(seen.survived[1].error, ErrorKind::kFreed);
    ASSERT_TRUE(seen.error.has_value());
    EXPECT_EQ(seen.error->error, ErrorKind::kAnomaly);
    EXPECT_FALSE(AnomalyMode::IsEnabled());
  }
}

}  // namespace
}  // namespace twingrad
