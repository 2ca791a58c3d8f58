// Dependency counts, twice: predicted from the Program alone, and recounted from the recorded
// graph.
//
// The two judge each other: the twin derives the first from what statements are, the second takes
// the graph as the engine shows it and counts by an algorithm of its own.

#ifndef PROPTESTS_ORACLES_COUNTS_H_
#define PROPTESTS_ORACLES_COUNTS_H_

#include "proptests/oracles/evidence.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::oracles {

// The nodes of each call that statements alone made, their edges, dependencies and whether they are
// needed, are the twin's.
Verdict JudgePredictedCounts(const Evidence& evidence);

// Dependencies, topological pruning, what is needed and what ran, of every call, follow from its
// recorded nodes.
Verdict JudgeRecount(const Evidence& evidence);

}  // namespace twingrad::oracles

#endif  // PROPTESTS_ORACLES_COUNTS_H_
