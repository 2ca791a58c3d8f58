// An adapter of the repository's engine that misbehaves on request: `faulty wrong_sign`.

#include <cstdio>
#include <string>
#include <string_view>

#include <unistd.h>

#include "absl/status/statusor.h"
#include "autograd/engine/engine.h"
#include "autograd/program/signature.h"
#include "autograd/runner/run.h"
#include "proptests/mutants/adapter/faults.h"
#include "proptests/protocol/serve.h"

namespace twingrad::mutants {
namespace {

using program::Category;
using protocol::Fact;
using protocol::Hello;

// All that the repository's engine runs and shows, but for its accelerators.
Hello MakeHello(const Fault& fault) {
  Hello hello;
  hello.name = "faulty";
  hello.version = std::string(fault.word);
  hello.dialect = "twingrad";
  hello.sections = true;
  for (const auto& signature : program::Signatures()) {
    if (signature.category == Category::kStream) continue;
    if (signature.op == program::Opcode::kTo) continue;
    hello.ops.insert(signature.op);
    hello.single.insert(signature.op);
  }
  hello.dtypes.insert(std::begin(kDTypes), std::end(kDTypes));
  hello.facts = {Fact::kGraph,    Fact::kOrder,        Fact::kNames,  Fact::kHooks,
                 Fact::kVersions, Fact::kRequiresGrad, Fact::kErrors, Fact::kAccessors};
  return hello;
}

int Main(std::string_view word) {
  const Fault* fault = FindFault(word);
  if (fault == nullptr) {
    std::fprintf(stderr, "[faulty] which fault? allowed are:");
    for (const Fault& known : Faults()) std::fprintf(stderr, " %s", known.word.data());
    std::fprintf(stderr, "; give one\n");
    return 2;
  }
  const int out = dup(1);
  Engine engine;
  bool after_error = false;
  return protocol::Serve(
      MakeHello(*fault),
      [&](const program::Program& program) -> absl::StatusOr<program::Observation> {
        if (fault->misbehave != nullptr && Multiplies(program)) fault->misbehave(out);
        program::Observation observation = runner::Run(program, engine);
        if (fault->spoil != nullptr) fault->spoil(program, after_error, observation);
        after_error = observation.error.has_value();
        return observation;
      });
}

}  // namespace
}  // namespace twingrad::mutants

int main(int argc, char** argv) { return twingrad::mutants::Main(argc == 2 ? argv[1] : ""); }
