// Which features a Program holds: for statistics, of any Program wherever it comes from.

#ifndef PROPTESTS_ORACLES_FEATURES_H_
#define PROPTESTS_ORACLES_FEATURES_H_

#include <bitset>

#include "autograd/program/program.h"
#include "proptests/oracles/statistics.h"

namespace twingrad::oracles {

// All but Feature::kError, which only a run can tell.
std::bitset<kNumFeatures> FeaturesOf(const twingrad::program::Program& program);

}  // namespace twingrad::oracles

#endif  // PROPTESTS_ORACLES_FEATURES_H_
