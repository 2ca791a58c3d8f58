// Random well-formed Programs over every statement and attribute of the signature table: test data
// for this package alone. What makes interesting graphs for engines is in proptests/generators;
// here a statement is good when it is valid.

#ifndef AUTOGRAD_PROGRAM_RANDOM_PROGRAM_H_
#define AUTOGRAD_PROGRAM_RANDOM_PROGRAM_H_

#include <cstdint>

#include "autograd/program/program.h"

namespace twingrad::program {

// About `statements` statements and the ends of open regions; the same for the same arguments.
Program RandomProgram(uint64_t seed, int statements);

}  // namespace twingrad::program

#endif  // AUTOGRAD_PROGRAM_RANDOM_PROGRAM_H_
