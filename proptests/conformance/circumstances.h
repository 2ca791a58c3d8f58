// Circumstances: what is remarkable about a Program that an engine got wrong, in lines for the
// verdict, so that expected failures can tell one defect from another. A pure function.

#pragma once

#include <string>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"

namespace twingrad::conformance {

// None, or some of
//   circumstance: the result of matmul is a view      (of memory that no value of the Program owns)
//   circumstance: prod of several zeros               (over all elements)
//   circumstance: pow with a 0                        (as base or exponent)
//   circumstance: pow to the 1
//   circumstance: sinc near 0                         (and not at 0; as cos(πx) is positive)
//   circumstance: det of nothing                      (or batch_norm, nll_loss, cross_entropy)
//   circumstance: as_strided to nothing
//   circumstance: det of a singular matrix            (as the twin says: it is 0)
//   circumstance: std of equal elements               (it is 0)
//   circumstance: a norm far out                      (its weight, over a deviation, overflows, or
//                                                     times the mean)
//   circumstance: upsample_bicubic2d far out          (so that weights of a cubic may overflow)
//   circumstance: elu of a 0                          (or celu, or selu)
//   circumstance: clamp between equal limits
//   circumstance: silu of an infinity                 (or gelu, erf, erfc, bce_with_logits, or
//                                                     a linear upsampling, batch_norm, group_norm,
//                                                     lerp)
//   circumstance: gelu far out                        (its square overflows)
//   circumstance: gelu_tanh far out                   (cosh of what its tanh is of overflows)
//   circumstance: logaddexp far apart                 (exp of the difference overflows)
//   circumstance: logaddexp with a subnormal square   (1 by the square of that exp)
//   circumstance: logcumsumexp with a gradient of 0   (an element of what comes to its result)
//   circumstance: logcumsumexp far out                (a logarithm added to an element is lost)
//   circumstance: logcumsumexp of nothing
//   circumstance: addmv of nothing                    (its matrix has no elements)
//   circumstance: a conv_transpose of another shape   (than the twin says)
//   circumstance: repeat of 0 times
//   circumstance: a sparse gradient                     (of an embedding with sparse=1)
//   circumstance: a sparse gradient of nothing          (without entries, or these without numbers)
//   circumstance: a sparse gradient of one number
//   circumstance: a sparse gradient of a result         (of a weight that is no leaf)
//   circumstance: an extreme that is there too          (of scatter_reduce with include_self=0)
//   circumstance: scatter_reduce of several zeros       (a product of what is sent)
//   circumstance: an accumulate_hook that runs too often
//   circumstance: the gradient of a prod is shown       (or of another product, or det: by a hook,
//                                                       ...)
// `expected` has the values, `observed` the graphs, and both what an engine may make otherwise.
std::string Circumstances(const twingrad::program::Program& program,
                          const twingrad::program::Observation& expected,
                          const twingrad::program::Observation& observed);

}  // namespace twingrad::conformance
