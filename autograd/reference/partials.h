// First and second partial derivatives of the elementwise functions, for the dual witness.
//
// Written in forward form from the calculus textbook, independently of the twin's reverse rules,
// with this repository's conventions at points without a derivative: 0 at relu and abs, a half each
// at a tie. Pure functions.

#pragma once

#include "autograd/reference/numbers.h"
#include "autograd/reference/primitives.h"
#include "autograd/reference/tangents.h"

namespace twingrad::reference {

struct ElementwisePoint {
  Number a;
  Number b;  // of functions of two numbers
  Number result;
  bool a_varies = false;  // has tangents
  bool b_varies = false;
};

// Sets *kink if the function has no derivative at the point, or if the bound leaves that open.
Partials PartialsOf(Primitive primitive, const ElementwisePoint& point, bool* kink);

}  // namespace twingrad::reference
