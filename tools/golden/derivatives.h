// Which derivatives of which statements a golden shows: that every differentiable statement of the
// vocabulary has goldens of higher order, over nothing too, is then a test.
//
// Read from the Program alone: a statement is differentiated once by a call whose roots depend on
// it and whose results, or some .grad, the Program expects; once more by a call whose roots depend
// on those results, where they were made with create_graph. Programs with regions count for
// nothing. Pure functions.

#pragma once

#include <map>

#include "autograd/program/opcode.h"
#include "autograd/program/program.h"

namespace twingrad::golden {

// The highest derivative that is shown; 0: none.
struct ShownOrders {
  int order = 0;
  int order_of_nothing = 0;  // where an operand or the result has no elements
};

std::map<twingrad::program::Opcode, ShownOrders> ShownDerivatives(
    const twingrad::program::Program& program);

}  // namespace twingrad::golden
