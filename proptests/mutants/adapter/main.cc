// An adapter of the repository's engine that misbehaves on request: `faulty wrong_sign`.

#include <cstdio>
#include <string>

#include <unistd.h>

#include "absl/status/statusor.h"
#include "autograd/engine/engine.h"
#include "autograd/program/signature.h"
#include "autograd/runner/run.h"
#include "proptests/mutants/adapter/faults.h"
#include "proptests/protocol/serve.h"

namespace twingrad::mutants {
namespace {

using protocol::Fact;
using protocol::Hello;
using twingrad::DType;
using twingrad::program::Category;
using twingrad::program::Observation;
using twingrad::program::Program;

// All that the repository's engine runs and shows, but for its accelerators.
Hello MakeHello(Fault fault) {
  Hello hello;
  hello.name = "faulty";
  hello.version = std::string(FaultWord(fault));
  hello.dialect = "twingrad";
  for (const auto& signature : twingrad::program::Signatures()) {
    if (signature.category == Category::kCustom || signature.category == Category::kStream)
      continue;
    if (signature.op == twingrad::program::Opcode::kTo) continue;
    hello.ops.insert(signature.op);
    hello.single.insert(signature.op);
  }
  hello.dtypes = {DType::kF32, DType::kF64, DType::kI64, DType::kBool};
  hello.facts = {Fact::kGraph,    Fact::kOrder,        Fact::kNames, Fact::kHooks,
                 Fact::kVersions, Fact::kRequiresGrad, Fact::kErrors};
  return hello;
}

}  // namespace
}  // namespace twingrad::mutants

int main(int argc, char** argv) {
  using namespace twingrad::mutants;
  const auto fault = FaultOf(argc == 2 ? argv[1] : "");
  if (!fault) {
    std::fprintf(stderr, "[faulty] which fault? allowed are:");
    for (int i = 0; i < kNumFaults; ++i) {
      std::fprintf(stderr, " %s", std::string(FaultWord(static_cast<Fault>(i))).c_str());
    }
    std::fprintf(stderr, "; give one\n");
    return 2;
  }
  const int out = dup(1);
  twingrad::Engine engine;
  bool after_error = false;
  return twingrad::protocol::Serve(
      MakeHello(*fault), [&](const Program& program) -> absl::StatusOr<Observation> {
        Misbehave(*fault, program, out);
        Observation observation = twingrad::runner::Run(program, engine);
        Spoil(*fault, program, &after_error, &observation);
        return observation;
      });
}
