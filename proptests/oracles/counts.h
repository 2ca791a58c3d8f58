// Dependency counts, judged twice: predicted from the Program alone, and recounted from the
// recorded graph.
//
// The two check each other: the twin derives the prediction from the statements; the recount takes
// the graph that the engine reports and counts by an algorithm of its own.

#pragma once

#include "proptests/oracles/evidence.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::oracles {

// For each call whose nodes were all made by statements: the nodes, their edges, their dependency
// counts and whether they are needed are the twin's.
Verdict JudgePredictedCounts(const Evidence& evidence);

// For every call: dependency counts, topological pruning, which nodes are needed and which ran
// follow from the call's recorded nodes.
Verdict JudgeRecount(const Evidence& evidence);

}  // namespace twingrad::oracles
