// Jets: elements and their tangents, and the dual witness's rule for each primitive on them.
//
// Elementwise primitives follow the chain rule with the partial derivatives of their row; groups
// are composed of elementwise ones; moves move the tangents. Floats of either width are computed in
// double. One thread; everything lives in the run's arena.

#pragma once

#include "absl/types/span.h"
#include "autograd/reference/arena.h"
#include "autograd/reference/choices.h"
#include "autograd/reference/index_map.h"
#include "autograd/reference/place_map.h"
#include "autograd/reference/primitives.h"
#include "autograd/reference/tangents.h"

namespace twingrad::reference {

struct Jets {
  const Array* value = nullptr;
  const Tangents* tangents = nullptr;
};

// The algebra of composite.h on jets. `order`: of the derivatives; `choices` says what holds where
// there is none.
class JetAlgebra {
 public:
  using Value = Jets;

  JetAlgebra(int order, Choices& choices) : tangents_(arena_, order), choices_(choices) {}

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
  bool SavesFactors() const { return true; }
  const Jets& WithHistoryOfSlope(const Jets& a) const { return a; }
  const Jets& Parting(const Jets& a) const { return a; }
  static const Jets& MadeOf(const Jets& /*operand*/, const Jets& value) { return value; }
  // From here on the slopes of products are multiplied by this, and their second derivatives are
  // not: so it is where what a product saves is scaled, which is no step of any history.
  void SetProductScale(double scale) { product_scale_ = scale; }
  // Which of equal elements is picked.
  Picks Settled(const Jets& a, const Picks& picks, absl::Span<const Tie> ties);

 private:
  Jets Elementwise(Primitive primitive, const Array* value, const Jets& a, const Jets& b);
  Jets Inverse(const Jets& a);
  Jets OfGroups(Primitive primitive, const PrimitiveArguments& arguments, const Jets& a);
  Jets Weighed(const Jets& a, const Array* value, const Array* weights);
  Jets Clamped(const Jets& a, const Array* value, const PrimitiveArguments& limits);
  Jets Norm(const Jets& a, const PrimitiveArguments& arguments);
  Jets Extreme(const Jets& a, const Array* extremes, const PrimitiveArguments& arguments);

  Arena arena_;
  TangentAlgebra tangents_;
  Choices& choices_;
  double product_scale_ = 1;
};

}  // namespace twingrad::reference
