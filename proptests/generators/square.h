// Square matrices, and what is made of them: inverse, det, solve_triangular, cholesky.

#pragma once

#include "autograd/program/square.h"
#include "proptests/generators/draft.h"

namespace twingrad::generators {

using twingrad::program::IsOfSquares;

// A leaf of one or several matrices that the op takes: of sizes 0 to 3, mostly well conditioned,
// now and then of any elements, or singular for certain.
ValueId MakeSquares(Draft& draft, Opcode op);

// One of these ops of x, or of a leaf; x itself where nothing fits.
ValueId ApplySquares(Draft& draft, ValueId x);

}  // namespace twingrad::generators
