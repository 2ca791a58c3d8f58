// Gradients in another layout: what the derivatives of views are made of.
//
//   Tensor g = ops::PermuteTo(gradient, inverse);   // shares memory where it can, with history
//
// They record in grad mode as any operation does, but their results are no views: gradients are
// never written by users, so no write can make them stale. Use view.h for variables of users.

#pragma once

#include <cstdint>
#include <functional>

#include "autograd/base/dtype.h"
#include "autograd/ops/geometry.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

// The same elements in row-major order with another shape; a copy where `a` is not contiguous.
Tensor ReshapeTo(const Tensor& a, Ints shape);
// As ReshapeTo, but not `a` itself where the shapes are equal.
Tensor ReshapeAnyway(const Tensor& a, Ints shape);

// Dimension i of the result is dimension dims[i] of `a`.
Tensor PermuteTo(const Tensor& a, Ints dims);
// The last two dimensions swapped.
Tensor TransposeLast(const Tensor& a);

// The part of `a`, whose shape is place.whole, that lies at `place`.
Tensor TakePart(const Tensor& a, const Part& place);
// Zeros of shape place.whole with `part` at `place`: the adjoint of TakePart.
Tensor EmbedPart(const Tensor& part, const Part& place);

// Where the elements of a part lie in a whole; some places may recur.
using PlacesOf = std::function<Geometry(const Tensor& whole)>;
Tensor TakePlaces(const Tensor& a, const PlacesOf& places);
// Zeros of this shape with each element of `part` added at its place: the adjoint of TakePlaces.
Tensor EmbedPlaces(const Tensor& part, Ints whole, const PlacesOf& places);

}  // namespace twingrad::ops
