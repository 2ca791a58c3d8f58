// The types of what is made of square matrices: inverse, det, solve_triangular and cholesky. See
// result_type.h.

#include <cstddef>
#include <cstdint>

#include "autograd/program/element_text.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/limits.h"
#include "autograd/program/result_type.h"

namespace twingrad::program {

bool Inference::OfSquares() {
  const Shape& a = shape();
  const size_t last = a.size() - 1;
  if (a.size() < 2 || a[last] != a[last - 1]) {
    return fault_.BlameOperand(0, signature_.name, " of ", ShapeText(a),
                               "; it takes square matrices: [..,N,N]");
  }
  const int64_t size = a[last];
  result_.shape = a;
  if (op() == Opcode::kDet) result_.shape.resize(a.size() - 2);
  if (op() == Opcode::kSolveTriangular) {
    const Shape& b = shape(1);
    Shape rows = b;
    if (!rows.empty()) rows.back() = size;
    if (rows != a) {
      return fault_.BlameOperand(1, "solve_triangular of ", ShapeText(a), " and ", ShapeText(b),
                                 "; of [..,N,N] and [..,N,K] it goes");
    }
    result_.shape = b;
  }
  if (!CheckResult()) return false;
  work_ = (NumElements(a) + NumElements(result_.shape)) * size;
  return true;
}

}  // namespace twingrad::program
