// The adapter of libtorch: a child process that speaks the protocol at its standard input and
// output.

#include <ATen/Parallel.h>
#include <c10/util/Logging.h>
#include <torch/version.h>

#include <iterator>
#include <string>

#include "absl/status/statusor.h"
#include "autograd/base/dtype.h"
#include "proptests/protocol/serve.h"
#include "tools/adapters/libtorch/execution.h"
#include "tools/adapters/libtorch/operations.h"
#include "tools/adapters/libtorch/recorder.h"
#include "tools/adapters/libtorch/version.h"

int main() {
  using twingrad::program::Opcode;
  using twingrad::protocol::Fact;
  at::set_num_threads(1);
  at::set_num_interop_threads(1);
  // Nobody reads the stack of an error, and naming its frames took two fifths of all time.
  c10::SetStackTraceFetcher([] { return std::string(); });
  twingrad::libtorch::InstallRecordingEngine();
  twingrad::protocol::Hello hello;
  hello.name = "libtorch";
  hello.version = TORCH_VERSION;
  hello.dialect = twingrad::libtorch::kDialect;
  hello.ops = twingrad::libtorch::KnownStatements();
  hello.single = twingrad::libtorch::SingleNodeOps();
  hello.single.insert(Opcode::kReadGrad);
  hello.sections = true;
  hello.dtypes = {std::begin(twingrad::kDTypes), std::end(twingrad::kDTypes)};
  // Not versions, which its kernels count up inside; not requires_grad: which gradients depend on
  // what is each engine's own.
  hello.facts = {Fact::kGraph, Fact::kOrder, Fact::kNames, Fact::kErrors, Fact::kAccessors};
  if (twingrad::libtorch::kHasHooks) hello.facts.insert(Fact::kHooks);
  return twingrad::protocol::Serve(hello,
                                   [](const twingrad::program::Program& program)
                                       -> absl::StatusOr<twingrad::program::Observation> {
                                     return twingrad::libtorch::Run(program);
                                   });
}
