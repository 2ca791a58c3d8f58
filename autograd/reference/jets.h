// Jets: elements and their tangents, and the dual witness's rule for each primitive on them.
//
// Elementwise primitives follow the chain rule with the partial derivatives of their row; groups
// are composed of elementwise ones; moves move the tangents. Floats of either width are computed in
// double. One thread; everything lives in the run's arena.

#pragma once

#include "autograd/reference/arena.h"
#include "autograd/reference/index_map.h"
#include "autograd/reference/primitives.h"
#include "autograd/reference/tangents.h"

namespace twingrad::reference {

struct Jets {
  const Array* value = nullptr;
  const Tangents* tangents = nullptr;
};

// The algebra of composite.h on jets. `order`: of the derivatives; *kink is set where a point
// without a derivative is touched.
class JetAlgebra {
 public:
  using Value = Jets;

  JetAlgebra(int order, bool* kink) : tangents_(arena_, order), kink_(kink) {}

  Arena& arena() { return arena_; }
  TangentAlgebra& tangents() { return tangents_; }

  Jets Apply(Primitive primitive, const PrimitiveArguments& arguments, const Jets& a,
             const Jets& b = {}, const Jets& c = {});
  Jets Apply(Primitive primitive, const Jets& a, const Jets& b = {}, const Jets& c = {}) {
    return Apply(primitive, PrimitiveArguments(), a, b, c);
  }
  Jets Constant(const Array* array) const { return {array, nullptr}; }
  const Array* ArrayOf(const Jets& jets) const { return jets.value; }
  bool DividesLate() const { return false; }
  void NoteTie() { *kink_ = true; }

 private:
  Jets Elementwise(Primitive primitive, const Array* value, const Jets& a, const Jets& b);
  Jets OfGroups(Primitive primitive, const PrimitiveArguments& arguments, const Jets& a);
  Jets Weighed(const Jets& a, const Array* value, const Array* weights);

  Arena arena_;
  TangentAlgebra tangents_;
  bool* const kink_;
};

}  // namespace twingrad::reference
