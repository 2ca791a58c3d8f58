// Whether a call must find its graph released, where create_graph made that graph.
//
// Which nodes stand for a gradient's own formula is each engine's choice: those of a third
// derivative may lead back through those of the second, or start anew from what these were made of.
// So of two calls over such graphs the first may release what the second needs, or may not, and the
// Program does not tell. The engine's own graphs do. Pure functions.

#pragma once

#include "autograd/program/observation.h"
#include "autograd/reference/twin.h"

namespace twingrad::conformance {

// Whether the twin's run ends with kFreed at a call over nodes that create_graph made, and the
// engine, whose nodes are named, showed that this call ran none that an earlier one had released.
// False where a hook has made calls of its own: which of them fails the twin does not say.
bool FindsNothingReleased(const twingrad::reference::TwinResult& expected,
                          const twingrad::program::Observation& observed);

}  // namespace twingrad::conformance
