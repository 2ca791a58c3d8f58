// The adapter's side of the pipe, for engines that C++ can call: an adapter is a Hello and a
// function.
//
//   int main() {
//     return protocol::Serve(hello, [&](const Program& program) { return RunOnMyEngine(program);
//     });
//   }
//
// Standard output belongs to the protocol; what the engine prints there goes to standard error
// instead. One thread.

#pragma once

#include <functional>

#include "absl/status/statusor.h"
#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "proptests/protocol/hello.h"

namespace twingrad::protocol {

// An error of the kind Unimplemented skips the Program, any other is a fault of the adapter.
using RunProgram = std::function<absl::StatusOr<twingrad::program::Observation>(
    const twingrad::program::Program&)>;

// Until `bye` or the end of the input; returns the exit status.
int Serve(const Hello& hello, const RunProgram& run);

}  // namespace twingrad::protocol
