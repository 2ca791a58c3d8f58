// Planted defects of the repository's engine: what an Observation shows where the engine is to be
// wrong, for campaigns to prove that they would find it.

#pragma once

#include <cstdint>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "proptests/workers/plant.h"

namespace twingrad::subjects {

// Makes `observed` the Observation of an engine with this defect, or brings the process down, if
// the Program holds the statements that `draw` says.
void Plant(workers::Defect defect, uint64_t draw, const program::Program& program,
           int device_threads, program::Observation* observed);

}  // namespace twingrad::subjects
