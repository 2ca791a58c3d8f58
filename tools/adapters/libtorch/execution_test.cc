// Programs on a real libtorch: values, gradients, counts, and the adapter's table of ops.

#include "tools/adapters/libtorch/execution.h"

#include <bit>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "autograd/program/parse.h"
#include "autograd/program/print.h"
#include "autograd/program/signature.h"
#include "autograd/program/sparse.h"
#include "gtest/gtest.h"
#include "proptests/generators/generate.h"
#include "proptests/generators/options.h"
#include "tools/adapters/libtorch/accessors.h"
#include "tools/adapters/libtorch/operations.h"
#include "tools/adapters/libtorch/recorder.h"
#include "tools/adapters/libtorch/tensor_data.h"
#include "tools/adapters/libtorch/version.h"

namespace twingrad::libtorch {
namespace {

using program::CallRecord;
using program::NodeRole;
using program::Observation;
using program::Opcode;

class ExecutionTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { InstallRecordingEngine(); }
  static Observation RunText(const std::string& lines) {
    const auto program = program::Parse("twingrad 1\n" + lines);
    EXPECT_TRUE(program.ok()) << program.status();
    return libtorch::Run(*program);
  }
};

double Gradient(const Observation& observed, size_t value) {
  EXPECT_TRUE(observed.values[value].grad_defined);
  return std::bit_cast<double>(observed.values[value].grad.bits.at(0));
}

TEST_F(ExecutionTest, CountsAreThoseOfTheEngine) {
  const Observation seen = RunText(
      "%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\n%m = mul %y %x\n%z = add %m %y\n"
      "backward %z\n");
  ASSERT_FALSE(seen.error);
  EXPECT_EQ(Gradient(seen, 0), 33);
  const CallRecord& call = seen.calls.at(0);
  ASSERT_EQ(call.nodes.size(), 4u);
  for (size_t i = 0; i < call.nodes.size(); ++i) {
    const auto& name = call.nodes[i].name;
    const int expected = name.role == NodeRole::kAccumulateGrad ? 3
                         : name.statement == 1                  ? 2
                         : name.statement == 2                  ? 1
                                                                : -1;
    EXPECT_EQ(call.dependencies[i], expected) << "statement " << name.statement;
  }
  EXPECT_EQ(call.executed.size(), 4u);
  EXPECT_TRUE(call.needed.empty());
}

TEST_F(ExecutionTest, InputsSayWhatIsNeeded) {
  const Observation seen = RunText(
      "%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\n%z = neg %y\n"
      "%g = grad %z inputs=%y\n");
  const CallRecord& call = seen.calls.at(0);
  ASSERT_EQ(call.needed.size(), call.nodes.size());
  for (size_t i = 0; i < call.nodes.size(); ++i) {
    EXPECT_EQ(call.needed[i], call.nodes[i].name.statement == 2) << i;
  }
  EXPECT_EQ(call.inputs.size(), 1u);
  EXPECT_EQ(call.executed.size(), 1u);
}

TEST_F(ExecutionTest, AWriteThroughAViewIsNamed) {
  const Observation seen = RunText(
      "%x = leaf type=f64[2] data=3,4 grad=1\n%b = clone %x\n%v = select %b dim=0 index=0\n"
      "neg_ %v\n%s = sum %b\nbackward %s\n");
  ASSERT_FALSE(seen.error) << seen.error->message;
  bool found = false;
  for (const auto& node : seen.calls.at(0).nodes) {
    found |= node.name.role == NodeRole::kCopySlices && node.name.statement == 3;
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(Gradient(seen, 0), -1);
}

TEST_F(ExecutionTest, GradientsReadTheSameByEveryAccessor) {
  const Observation seen = RunText(
      "%x = leaf type=f64[2] data=3,4 grad=1\n%y = leaf type=f64[2] data=5,6 grad=1\n"
      "%m = mul %x %y\n%s = sum %m\nbackward %s\n");
  ASSERT_FALSE(seen.error) << seen.error->message;
  EXPECT_TRUE(seen.accessors.empty()) << seen.accessors[0].accessor;
}

TEST_F(ExecutionTest, AWriteToOneGradThatShowsInAnotherIsTold) {
  const at::Tensor grad = at::ones({2}, at::kDouble);
  std::vector<at::Tensor> values;
  Observation observed;
  for (int i = 0; i < 2; ++i) {
    values.push_back(at::zeros({2}, at::TensorOptions(at::kDouble).requires_grad(true)));
    values.back().mutable_grad() = grad;
    auto& record = observed.values.emplace_back();
    record.data = DataOf(values.back().detach());
    record.grad_defined = true;
    record.grad = DataOf(grad);
  }
  ReadByAccessors(grad, observed.values[0].grad, {0, true, observed.accessors});
  EXPECT_TRUE(observed.accessors.empty());
  WriteGradients(values, observed);
  ASSERT_EQ(observed.accessors.size(), 1u);
  EXPECT_EQ(observed.accessors[0].accessor, "after_writes");
  EXPECT_EQ(observed.accessors[0].value, 0);
}

TEST_F(ExecutionTest, ErrorsHaveTheirClass) {
  const std::string square = "%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\n";
  EXPECT_EQ(RunText(square + "backward %y\nbackward %y\n").error->error, ErrorKind::kFreed);
  EXPECT_EQ(RunText("%x = leaf type=f64[] grad=1\nneg_ %x\n").error->error,
            ErrorKind::kLeafInPlace);
  EXPECT_EQ(
      RunText("%x = leaf type=f64[] grad=1\n%z = exp %x\nneg_ %z\nbackward %z\n").error->error,
      ErrorKind::kVersion);
  EXPECT_EQ(RunText("%x = leaf type=f64[2] grad=1\n%z = exp %x\nbackward %z\n").error->error,
            ErrorKind::kImplicitSeed);
  EXPECT_EQ(RunText("%x = leaf type=f64[]\nbackward %x\n").error->error, ErrorKind::kNoGraph);
  EXPECT_EQ(RunText(square + "%w = leaf type=f64[] grad=1\n%g = grad %y inputs=%w\n").error->error,
            ErrorKind::kUnusedInput);
}

std::vector<int32_t> Log(const CallRecord& call) {
  std::vector<int32_t> statements;
  for (const auto& hook : call.hooks) statements.push_back(hook.statement);
  return statements;
}

// Before 2.0 they are refused; the adapter does not claim them then.
TEST_F(ExecutionTest, HooksActAndAreSeen) {
  const Observation seen = RunText(
      "%x = leaf type=f64[] data=3 grad=1\n%y = neg %x\nhook %y do=scale by=2\n"
      "pre_hook %y do=record\npost_hook %y do=scale by=5\naccumulate_hook %x do=record\n"
      "hook %x id=gone do=throw\nremove_hook id=gone\nbackward %y\n");
  if (!kHasHooks) {
    ASSERT_TRUE(seen.error);
    EXPECT_EQ(seen.error->error, ErrorKind::kUnsupported);
    return;
  }
  ASSERT_FALSE(seen.error) << seen.error->message;
  EXPECT_EQ(Gradient(seen, 0), -10);
  EXPECT_EQ(Log(seen.calls.at(0)), std::vector<int32_t>({2, 3, 4, 5}));
  EXPECT_EQ(RunText("%x = leaf type=f64[] grad=1\nhook %x do=throw\nbackward %x\n").error->error,
            ErrorKind::kUser);
}

// The hook of %y makes a call, whose own hooks and callback are in its record.
TEST_F(ExecutionTest, HooksActOnOthers) {
  const std::string graph = "%x = leaf type=f64[] data=3 grad=1\n%h = mul %x %x\n%y = mul %h %h\n";
  if (!kHasHooks) GTEST_SKIP() << "hooks are claimed from libtorch 2.0 on";
  const Observation seen =
      RunText(graph +
              "hook %h do=record\nhook %y do=backward target=%h\nhook %y do=callback\n"
              "hook %x do=callback\nbackward %y\n");
  ASSERT_FALSE(seen.error) << seen.error->message;
  ASSERT_EQ(seen.calls.size(), 2u);
  EXPECT_EQ(Log(seen.calls[0]), (std::vector<int32_t>{4, 5, 3, 6, 5, 6}));
  EXPECT_EQ(Log(seen.calls[1]), (std::vector<int32_t>{3, 6, 6}));
  EXPECT_EQ(seen.calls[1].outer, 0);
  EXPECT_EQ(seen.calls[1].executed.size(), 2u);
  EXPECT_EQ(Gradient(seen, 0), 108 + 6);

  const Observation changed =
      RunText(graph +
              "hook %h id=gone do=throw\nhook %y do=remove target=gone\n"
              "hook %y do=register target=%y\nbackward %y retain_graph=1\nbackward %y\n");
  ASSERT_FALSE(changed.error) << changed.error->message;
  EXPECT_EQ(Log(changed.calls[0]), (std::vector<int32_t>{4, 5}));
  EXPECT_EQ(Log(changed.calls[1]), (std::vector<int32_t>{4, 5, 5}));
}

TEST_F(ExecutionTest, HooksAfterAccumulationMakeGradUndefined) {
  if (!kHasHooks) GTEST_SKIP() << "hooks are claimed from libtorch 2.0 on";
  const Observation seen = RunText(
      "%x = leaf type=f64[] data=3 grad=1\naccumulate_hook %x do=zero_grad\n"
      "accumulate_hook %x do=record\nbackward %x\nbackward %x\n");
  ASSERT_FALSE(seen.error) << seen.error->message;
  EXPECT_EQ(Log(seen.calls.at(1)), (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(std::bit_cast<double>(seen.calls[1].hooks[0].gradient.bits.at(0)), 1);
  EXPECT_FALSE(seen.calls[1].hooks[1].gradient_defined);
  EXPECT_FALSE(seen.values.at(0).grad_defined);
}

TEST_F(ExecutionTest, CustomFunctionsMakeCallsAndWrite) {
  const Observation nested = RunText(
      "%x = leaf type=f64[] data=3 grad=1\n%h = mul %x %x\n"
      "%y = custom %x do=backward target=%h\nbackward %y\n");
  ASSERT_FALSE(nested.error) << nested.error->message;
  EXPECT_EQ(Gradient(nested, 0), 6 + 1);
  ASSERT_EQ(nested.calls.size(), 2u);
  EXPECT_EQ(nested.calls[1].outer, 0);
  // It would wait for itself.
  const Observation circle = RunText(
      "%x = leaf type=f64[] data=3 grad=1\n%h = neg %x\n%y = custom %h do=backward target=%h\n"
      "copy_ %h %y\nbackward %h\n");
  EXPECT_EQ(circle.error->error, ErrorKind::kUnsupported);
  const Observation written = RunText(
      "%x = leaf type=f64[] data=0 grad=1\n%h = clone %x\ncustom_ %h do=exp\n"
      "%a = grad %h inputs=%x create_graph=1\n%b = grad %a inputs=%x\n");
  ASSERT_FALSE(written.error) << written.error->message;
  EXPECT_EQ(std::bit_cast<double>(written.values[3].data.bits.at(0)), 1);
}

TEST_F(ExecutionTest, ResultsOfCustomFunctionsAreRowMajor) {
  for (const std::string action : {"pass", "square", "exp"}) {
    const Observation run = RunText("%x = leaf type=f64[2,2] data=1,2,3,4 grad=1\n%t = t %x\n" +
                                    ("%y = custom %t do=" + action) +
                                    "\n%v = view %y shape=4\n%s = sum %v\nbackward %s\n");
    EXPECT_FALSE(run.error) << action << ": " << run.error->message;
  }
}

TEST_F(ExecutionTest, SavedTensorsGoThroughHooks) {
  const auto in_region = [](const std::string& action) {
    return RunText("%x = leaf type=f64[] data=3 grad=1\nbegin kind=saved_tensor_hooks do=" +
                   action + "\n%y = mul %x %x\nend\n%z = mul %y %x\nbackward %z\n");
  };
  EXPECT_EQ(Gradient(in_region("record"), 0), 27);
  EXPECT_EQ(Gradient(in_region("scale by=10"), 0), 9 + 180);
  const Observation thrown = in_region("throw");
  EXPECT_EQ(thrown.error->error, ErrorKind::kUser);
  EXPECT_EQ(thrown.error->statement, 2);
}

TEST_F(ExecutionTest, IndicesSaveNothing) {
  for (const std::string op :
       {"max_pool1d_indices %x kernel=1", "adaptive_max_pool1d_indices %x shape=1",
        "argmax %x dim=0", "argsort %x dim=0"}) {
    EXPECT_FALSE(RunText("%x = leaf type=f64[1,1] data=3 grad=1\n"
                         "begin kind=saved_tensor_hooks do=throw\n%i = " +
                         op + "\nend\n")
                     .error)
        << op;
  }
}

// Of two gradients of one sum, written one by one.
TEST_F(ExecutionTest, GradientsThatACallReturnsAreVariablesOfTheirOwn) {
  const Observation seen = RunText(
      "%x = leaf type=f64[] data=3 grad=1\n%w = leaf type=f64[] data=5 grad=1\n%s = add %x %w\n"
      "%y = mul %s %s\n%g,%h = grad %y inputs=%x,%w create_graph=1\nmul_ %g %h\nbackward %h\n");
  ASSERT_FALSE(seen.error) << seen.error->message;
  EXPECT_EQ(std::bit_cast<double>(seen.values[4].data.bits.at(0)), 256);
  EXPECT_EQ(std::bit_cast<double>(seen.values[5].data.bits.at(0)), 16);
  EXPECT_EQ(Gradient(seen, 0), 2);
}

generators::GeneratorOptions WithThese(const std::set<Opcode>& ops) {
  generators::GeneratorOptions options;
  options.features.reset(static_cast<size_t>(generators::Feature::kDevices));
  options.features.reset(static_cast<size_t>(generators::Feature::kHook));
  options.ops.reset();
  for (Opcode op : ops) options.ops.set(static_cast<size_t>(op));
  return options;
}

// One for each operand through which a gradient can flow; what is written in place counts even
// where it is overwritten, for zeros flow into its history.
size_t NumEdges(const program::Statement& statement) {
  const auto& signature = program::SignatureOf(statement.op);
  size_t edges = 0;
  for (size_t i = 0; i < statement.operands.size(); ++i) {
    const bool written = signature.category == program::Category::kInPlace && i == 0;
    edges += written || signature.IsDifferentiable(static_cast<int>(i)) ? 1 : 0;
  }
  return edges;
}

// Looks at the nodes of the statements of one op; returns how many it saw. Each must be the only
// one of its statement, with an edge for each operand.
int NodesOf(Opcode op, const program::Program& program) {
  int seen = 0;
  for (const CallRecord& call : libtorch::Run(program).calls) {
    for (const auto& node : call.nodes) {
      if (node.name.role != NodeRole::kStatement) continue;
      const auto& statement = program.statements[static_cast<size_t>(node.name.statement)];
      if (statement.op != op) continue;
      ++seen;
      EXPECT_EQ(node.name.index, 0) << "a second node of statement " << node.name.statement;
      EXPECT_EQ(node.next_edges.size(), NumEdges(statement))
          << "edges of statement " << node.name.statement;
      if (testing::Test::HasFailure()) {
        ADD_FAILURE() << program::Print(program);
        return seen;
      }
    }
  }
  return seen;
}

// What the hello's `single` claims, over random Programs of each op.
TEST_F(ExecutionTest, TheTableOfOpsIsThatOfTheEngine) {
  ASSERT_GE(SingleNodeOps().size(), 25u);
  for (Opcode op : SingleNodeOps()) {
    const auto& signature = program::SignatureOf(op);
    std::set<Opcode> ops = {op, Opcode::kBackward, Opcode::kGrad, Opcode::kSum};
    if (program::TakesSparse(op)) ops.insert({Opcode::kSparseCoo, Opcode::kCoalesce});
    const bool writes = signature.category == program::Category::kInPlace;
    const bool makes_none = !writes && (signature.differentiable == 0 || op == Opcode::kDetach);
    const uint64_t seeds = makes_none ? 200 : 1000;
    int nodes = 0;
    for (uint64_t seed = 0; seed < seeds && nodes < 60; ++seed) {
      nodes += NodesOf(op, generators::Generate(seed, WithThese(ops)));
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_EQ(nodes > 0, !makes_none) << signature.name << ": " << nodes << " nodes";
  }
}

}  // namespace
}  // namespace twingrad::libtorch
