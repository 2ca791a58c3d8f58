// Runs one Program on libtorch, as its Python front end would where the C++ interface says less.

#pragma once

#include <set>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"

namespace twingrad::libtorch {

// Whatever the Program does, nothing is thrown. InstallRecordingEngine must have been called.
twingrad::program::Observation Run(const twingrad::program::Program& program);

// Every statement that Run knows.
std::set<twingrad::program::Opcode> KnownStatements();

}  // namespace twingrad::libtorch
