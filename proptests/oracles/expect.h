// Judges the `expect` statements of a Program against an Observation, whoever made it.
//
//   for (const oracles::Unmet& unmet : oracles::UnmetExpectations(program, observation)) ...
//
//   expect %x kind=value data=1,2            final contents; type= states dtype and shape as well
//   expect %x kind=grad data=1,2             final .grad
//   expect %x kind=undefined                 never computed, or an undefined gradient
//   expect %x kind=undefined_grad            .grad is undefined
//   expect %x kind=requires_grad             (or no_requires_grad)
//   expect %x kind=version count=1           of its storage
//   expect %x kind=dependencies count=2 at=9 the engine's counter for %x's node in the call at
//                                            statement 9, the last call without at=; 0: no counter
//   expect %x kind=executed count=1 at=9     how often %x's node ran
//   expect kind=error error=freed at=7       the run ended so; at= may be left out
//
// A value's node is that of the statement that defines it, for a leaf its AccumulateGrad. Elements
// must be equal, sign of zero included; every NaN equals every other. An error that no statement
// expects is unmet too. Pure functions.

#pragma once

#include <string>
#include <vector>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"

namespace twingrad::oracles {

struct Unmet {
  int statement = -1;  // the expect statement; -1 for an error that none expects
  std::string text;    // what was expected and what is
};

// In the order of the Program; empty when all is as expected.
std::vector<Unmet> UnmetExpectations(const program::Program& program,
                                     const program::Observation& observation);

}  // namespace twingrad::oracles
