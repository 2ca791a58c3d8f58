// Interpolation: each entry of a new plane as a sum of entries of the old one, times weights.
//
// As in index_map.h, a map gives for each term the places that it goes from and to. Weights are
// exact where every engine computes them so: where the quotient of the sizes is short in binary.
// Elsewhere an engine may be a little beside the place, and take the entry before it too.

#pragma once

#include "autograd/base/dtype.h"
#include "autograd/program/program.h"
#include "autograd/reference/arena.h"
#include "autograd/reference/index_map.h"
#include "autograd/reference/primitives.h"

namespace twingrad::reference {

// terms[k] of what stands at from[k], times weights[k], is added to the result at to[k].
struct Neighbours {
  const Shape* shape;
  IndexMap from;
  IndexMap to;
  const Array* weights;
};
// As the op, shape= and align_corners= say, of an operand of this shape.
Neighbours NeighboursOf(Arena& arena, const program::Statement& statement, const Shape& from,
                        DType dtype);

// The shape with the sizes of shape= in place of the plane.
Shape ReplanedShape(const program::Statement& statement, const Shape& from);

}  // namespace twingrad::reference
