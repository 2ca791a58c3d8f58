// Random well-formed Programs over every statement and attribute of the signature table, for tests
// of the language and of the witnesses. Here a statement only has to be valid; graphs that are
// interesting for engines come from proptests/generators.

#pragma once

#include <cstdint>

#include "autograd/program/program.h"

namespace twingrad::program {

// About `statements` statements plus the ends of open regions; the same arguments give the same
// Program.
Program RandomProgram(uint64_t seed, int statements);

}  // namespace twingrad::program
