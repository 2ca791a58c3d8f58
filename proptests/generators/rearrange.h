// Ops along a dimension: joins, picks by index, orders, running sums, extremes, softmax, losses.
//
// Each function applies one op that fits the value, making the operands and indices that it needs,
// and leaves the value alone (and returns it) where nothing fits. Indices have duplicates.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// cat, stack, flip, index_select, gather, scatter_add, sort, argsort, cumsum.
ValueId ApplyRearrange(Draft& draft, ValueId x);
// prod, amax, amin, max, min, argmax, argmin and, where rounding is allowed, logsumexp.
ValueId ApplyFold(Draft& draft, ValueId x);
// softmax, log_softmax and cross_entropy where rounding is allowed, mse_loss.
ValueId ApplyLoss(Draft& draft, ValueId x);
// c + a b for the matrix x as one of them.
ValueId ApplyAddmm(Draft& draft, ValueId x);

}  // namespace twingrad::generators
