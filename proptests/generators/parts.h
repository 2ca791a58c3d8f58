// The parts of which Programs are composed: each function adds a few statements to a Draft.
//
// A part takes values that the Draft holds, or makes its own, and adds nothing where none fits. Its
// name is that of a Feature.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// --- Shapes of graphs: graph_shapes.cc ---
// Two to four ops in a row, begun at some value.
void AddChain(Draft& draft);
// The same with a thousand ops and more, some with two edges to the one before: what is walked in
// recursion falls over.
void AddLongChain(Draft& draft);
// At least `nodes` nodes over scalars, one upon the other: chains, ladders, and ops with a leaf
// that all of them share, so that its node has as many edges. Numbers stay as small as they were.
// Of the values few are left for other parts to choose.
void AddLongGraph(Draft& draft, int nodes);
// Two to nine consumers of one value, whose gradients must all be summed before they are passed on;
// combined again as far as their shapes allow.
void AddFanOut(Draft& draft);
// One or two diamonds, two paths from one value to another, each starting where the previous ends.
void AddDiamond(Draft& draft);
// Two or three rungs, each of which takes the two values before it, so that the number of paths
// grows like the Fibonacci numbers.
void AddLadder(Draft& draft);
// A chain with two different ends, for several roots and several calls.
void AddSharedSubgraph(Draft& draft);
// An op with one value in both places, x * x above all: two parallel edges between two nodes.
void AddRepeatedOperand(Draft& draft);
// A leaf that requires grad and, sometimes, an op on it, for calls to name as inputs that no root
// depends on.
void AddUnusedInput(Draft& draft);

// --- Shared memory: alias.cc ---
// One to three views in a row on some value, then an op on the last.
void AddView(Draft& draft);
// A write to some value, or to a fresh copy of one if no value may be written: through a base and
// through views of it, to leaves without grad, of values with and without history.
void AddInPlace(Draft& draft);
// One memory: views of it, views of detached slices and views made without grad mode; writes
// through them; hooks and retain_grad before and after: aliases.cc.
void AddAliases(Draft& draft);
// One op, drawn from all alike: any_op.cc.
void AddAnyOp(Draft& draft);
// A value without history: a no_grad region, a write to a leaf within one, or a detach.
void AddNoGrad(Draft& draft);

// --- Devices: devices.cc ---
// A value copied to one to three devices, worked on there, and brought together again.
void AddDevices(Draft& draft);
// A leaf with three or four consumers on different devices whose gradients are lanes of 1e8, 1 and
// -1e8 in f32: the bits of their sum reveal its order. None of this is exact; the engine is
// compared with its own runs at other thread counts.
void AddOrder(Draft& draft);

// --- Others, each in a file of its name ---
// A hook of any kind on some value, sometimes removed again; or retain_grad.
void AddHook(Draft& draft);
// The same on this value.
void AddHookOn(Draft& draft, ValueId x);
// set_grad of some leaf, mostly with other strides than its own; or zero_grad.
void AddGivenGrad(Draft& draft);
// Another stream of a device, which waits for the one that was current before.
void AddStreams(Draft& draft);
// Of some Programs with streams: drops what orders one of them after others, a wait or the
// recording of an event, so that the Program may race.
void MaybeDropOrder(Source& source, Program& program);
// One to three ops whose saved tensors go through hooks, some of which scale; sometimes a write to
// what was saved, or a region inside whose hooks throw.
void AddSavedHooks(Draft& draft);
// A custom function of one to three values; sometimes its results are added up.
void AddCustom(Draft& draft);
// Casts between element types, large magnitudes, infinities and NaN, or integer arithmetic.
void AddNumbers(Draft& draft);
// A region of anomaly mode with calls; some of what precedes it was made outside, some inside.
void AddAnomaly(Draft& draft);
// A call under anomaly mode in which some nodes return NaN, by factors of NaN, 0 and infinity:
// often an error.
void AddNanGradient(Draft& draft);
// Two or three thread sections, each with a graph of its own over shared values, calls, or both.
void AddThreads(Draft& draft);
// One or two statements, the last of which raises an error at run time: one of each class that a
// Program can raise.
void AddError(Draft& draft);
// The same in a region of kind=try, after which the Program continues.
void AddSurvivedError(Draft& draft);

}  // namespace twingrad::generators
