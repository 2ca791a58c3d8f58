// The ball witness: rigorous enclosures of values and of derivatives to third order.
//
//   const BallResult result = RunBall(program);
//   result.grads[x].elements[0].Distance(0.5);   // 0: the derivative may be 0.5
//
// Statements are evaluated on truncated Taylor series whose coefficients are balls of 128 bits
// (FLINT/Arb): a leaf element is x + t for a variable t of its own, and a gradient is a
// coefficient. So the witness knows no derivative formula, no rounding to f64 and no rule of
// reverse mode, and shares no code with the twin and the dual numbers. At kinks a derivative is the
// hull of all that are legal there. A pure function of the Program; any thread.

#pragma once

#include "autograd/program/program.h"
#include "autograd/reference/ball/ball_result.h"

namespace twingrad::reference::ball {

BallResult RunBall(const program::Program& program);

}  // namespace twingrad::reference::ball
