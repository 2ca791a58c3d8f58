// Runs one Program on libtorch, as its Python front end would where the C++ interface says less.

#pragma once

#include <set>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"

namespace twingrad::libtorch {

// Whatever the Program does, nothing is thrown. InstallRecordingEngine must have been called.
program::Observation Run(const program::Program& program);

// Every statement that Run knows.
std::set<program::Opcode> KnownStatements();

}  // namespace twingrad::libtorch
