// Facts: what an adapter shows of a run, by its hello, and what stands in for the rest.
//
// An adapter need not show versions, hooks, orders or classes of errors. What it does not show is
// made equal to what is expected, so that oracles compare all the same; or the oracles that need it
// are left out. So are absent zeros, a convention: which of the second derivatives that are zero
// are absent and which are tensors of zeros is each engine's own choice, and so is whether hooks on
// their way run.

#pragma once

#include "autograd/program/observation.h"
#include "autograd/reference/twin.h"
#include "proptests/judge/table.h"
#include "proptests/protocol/hello.h"

namespace twingrad::conformance {

// What is laid before the oracles: what the adapter shows, and where the twin says what is right.
judge::Needs Shown(const protocol::Hello& hello, bool twin, bool predicted,
                   const twingrad::program::Observation& observed);

// Without the order of nodes: all that must run, in the order of the graph. Needs no twin.
void FillOrder(const protocol::Hello& hello, twingrad::program::Observation& observed);

// What is not shown becomes what is expected, and the other way round: of nodes that the engine
// need not have, or has under other numbers, nothing is predicted.
void FillFacts(const protocol::Hello& hello, twingrad::reference::TwinResult& expected,
               twingrad::program::Observation& observed);

// Whether the Program holds such a statement.
bool Holds(const twingrad::program::Program& program, twingrad::program::Opcode op);
// Whether some call makes a graph of its gradients.
bool CreatesGraph(const twingrad::program::Program& program);

// Where one of the two is absent and the other is zero, `observed` becomes as expected, what hooks
// saw among nodes that create_graph made included. True if that made a difference.
bool TakeZerosForAbsent(const twingrad::program::Program& program,
                        const twingrad::reference::TwinResult& expected,
                        twingrad::program::Observation& observed);

}  // namespace twingrad::conformance
