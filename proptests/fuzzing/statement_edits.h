// Edits of one statement of a Program, without regard to validity: what program_mutator.h draws
// from.
//
// Each returns false where it does not apply or nothing came of it. The choices are drawn from
// `random`.
#pragma once

#include "autograd/program/program.h"
#include "proptests/interleave/strategies/random_strategy.h"

namespace twingrad::fuzzing {

// Statement number `at` is `*statement`, and becomes:
// another op of the same category with as many operands;
bool ChangeOp(const program::Program& program, int at, program::Statement* statement,
              interleave::SplitMix& random);
// the same with an attribute more, less or changed;
bool ChangeAttribute(const program::Program& program, int at, program::Statement* statement,
                     interleave::SplitMix& random);
// the same with indices as a second result, or without;
bool ChangeResults(const program::Program& program, int at, program::Statement* statement,
                   interleave::SplitMix& random);
// a leaf with another element;
bool ChangeData(const program::Program& program, int at, program::Statement* statement,
                interleave::SplitMix& random);
// a leaf of another shape, its elements repeated;
bool ChangeShape(const program::Program& program, int at, program::Statement* statement,
                 interleave::SplitMix& random);
// the same over another value, mostly one of the same type.
bool ChangeOperand(const program::Program& program, int at, program::Statement* statement,
                   interleave::SplitMix& random);

}  // namespace twingrad::fuzzing
