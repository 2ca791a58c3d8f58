// Which operations of the registry run on CUDA, and which say that they are unsupported there:
// every example of the language of Programs, with its leaves on the device, shows what it shows on
// the host.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "autograd/ops/registry.h"
#include "autograd/program/parse.h"
#include "autograd/program/signature.h"
#include "autograd/program/sparse.h"
#include "cuda/programs/there.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proptests/generators/generate.h"

namespace twingrad::cuda {
namespace {

using ::testing::IsEmpty;

using OpsOnCudaTest = ProgramsOnCudaTest;

std::vector<program::Program> Examples() {
  std::vector<program::Program> programs;
  for (const auto& file : std::filesystem::directory_iterator("autograd/program/examples")) {
    if (file.path().extension() != ".twin") continue;
    std::ostringstream text;
    text << std::ifstream(file.path()).rdbuf();
    const absl::StatusOr<program::Program> parsed = program::Parse(text.str());
    EXPECT_TRUE(parsed.ok()) << file.path() << ": " << parsed.status();
    if (parsed.ok()) programs.push_back(*parsed);
  }
  return programs;
}

// What a run shows of a Program of this operation and of little else; with no error if there is
// such a Program, whose arguments are drawn.
std::optional<program::ErrorRecord> ErrorOfProgramsWith(program::Opcode op) {
  generators::GeneratorOptions options;
  options.ops.reset();
  options.ops.set(static_cast<size_t>(op));
  EXPECT_TRUE(generators::SetFeatures("-error,-hook,-custom,-threads", &options).ok());
  EXPECT_TRUE(generators::SetDevice("cuda", &options).ok());
  std::optional<program::ErrorRecord> error = {
      {ErrorKind::kInternal, -1, "no Program holds the operation"}};
  for (uint64_t seed = 1; seed <= 1000 && error; ++seed) {
    const program::Program program = generators::Generate(seed, options);
    const bool has_op =
        std::any_of(program.statements.begin(), program.statements.end(),
                    [&](const program::Statement& statement) { return statement.op == op; });
    if (has_op) error = RunOnEngine(program, 0).error;
  }
  return error;
}

TEST_F(OpsOnCudaTest, AllRunButThoseListed) {
  const std::set<std::string_view> unsupported = {};
  std::set<std::string_view> refused;
  for (const ops::RegisteredOp& op : ops::RegisteredOps()) {
    if (program::MakesSparse(op.opcode) || program::TakesSparse(op.opcode)) continue;
    const std::string_view name = program::SignatureOf(op.opcode).name;
    const std::optional<program::ErrorRecord> error = ErrorOfProgramsWith(op.opcode);
    if (!error) continue;
    refused.insert(name);
    EXPECT_EQ(error->error, ErrorKind::kUnsupported) << name << ": " << error->message;
    EXPECT_THAT(error->message, testing::HasSubstr("unsupported on cuda")) << name;
  }
  EXPECT_THAT(refused, testing::ContainerEq(unsupported));
}

// Programs make them on the host, but for a few that end in this error.
TEST_F(OpsOnCudaTest, SparseTensorsAreOfTheHost) {
  const auto program = program::Parse(R"(twingrad 1
%v = leaf type=f64[1] data=1 device=dev:0
%i = leaf type=i64[1,1] data=0 device=dev:0
%s = sparse_coo %v %i shape=2
)");
  ASSERT_TRUE(program.ok()) << program.status();
  const std::optional<program::ErrorRecord> error = RunOnEngine(*program, 0).error;
  ASSERT_TRUE(error);
  EXPECT_EQ(error->error, ErrorKind::kUnsupported) << error->message;
  EXPECT_THAT(error->message, testing::HasSubstr("[sparse_coo] unsupported on cuda"));
}

// Equal, or as near as two libraries of functions are.
void ExpectNear(const program::TensorData& there, const program::TensorData& here) {
  ASSERT_EQ(there.dtype, here.dtype);
  ASSERT_EQ(there.shape, here.shape);
  if (!IsFloating(here.dtype)) {
    ASSERT_EQ(there.bits, here.bits);
    return;
  }
  for (size_t i = 0; i < here.bits.size(); ++i) {
    const auto x = std::bit_cast<double>(there.bits[i]), y = std::bit_cast<double>(here.bits[i]);
    if (there.bits[i] == here.bits[i]) continue;
    ASSERT_NEAR(x, y, std::ldexp(1 + std::fabs(y), -18)) << "element " << i;
  }
}

TEST_F(OpsOnCudaTest, ExamplesShowWhatTheyShowOnTheHost) {
  int compared = 0;
  for (const program::Program& example : Examples()) {
    const auto program = There(example);
    if (!program) continue;
    const program::Observation there = RunOnEngine(*program, 0), here = RunOnEngine(example, 0);
    EXPECT_EQ(there.error.has_value(), here.error.has_value());
    EXPECT_THAT(there.stream_reports, IsEmpty());
    for (size_t i = 0; i < here.values.size(); ++i) {
      SCOPED_TRACE(example.names[i]);
      ASSERT_EQ(there.values[i].defined, here.values[i].defined);
      if (here.values[i].defined) ExpectNear(there.values[i].data, here.values[i].data);
      if (here.values[i].grad_defined) ExpectNear(there.values[i].grad, here.values[i].grad);
      ++compared;
    }
  }
  EXPECT_GT(compared, 200);
}

}  // namespace
}  // namespace twingrad::cuda
