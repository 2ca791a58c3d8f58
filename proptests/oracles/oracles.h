// The oracles that judge one run: each function is a law, stated above it.
//
// Pure functions. Which of them speak, and in which order, is decided by proptests/judge/table.cc;
// those that need runs with other seeds are in metamorphic.h.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/reference/ball/ball_result.h"
#include "autograd/reference/dual.h"
#include "proptests/oracles/evidence.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::oracles {

// Each .grad is frozen once its call has returned or thrown: nothing writes it later. Needs no
// twin: the run itself looks for late writes, if it was asked to.
Verdict JudgeFrozen(const program::Program& program, const program::Observation& observed);

// An internal error is a defect in any Program; no prediction is needed to judge it.
Verdict JudgeInternalError(const program::Program& program, const program::Observation& observed);

// Errors are legal: the run ends where the twin says, with one of the classes that it allows there.
// With one thread the error must be exactly the twin's; with several, any of the legal ones.
Verdict JudgeErrors(const Evidence& evidence);

// Each error that ended a try region or a thread section and not the run is the twin's, of the same
// class and statement. Skipped where several outcomes are legal.
Verdict JudgeSurvivedErrors(const Evidence& evidence);

// Two runs of one Program show the same bits, whatever the number of threads: values, gradients,
// versions, counts, order keys used up and what each hook saw, but for reads of a .grad that
// several thread sections add to. If `threads` is set and a run ended in an error, .grad and the
// kind of error may depend on timing; nothing else may, and what follows an error that the Program
// survives is skipped. Nor are the bits of a .grad compared to which several thread sections have
// added inexact numbers, nor runs after which other values depend on such bits or on which of
// several calls has released a graph, nor, between numbers of threads, runs of a Program that the
// twin predicts for one thread alone; `expected`, the twin's prediction, tells. `names` says which
// runs they are.
Verdict JudgeDeterminism(const program::Program& program, const program::Observation& a,
                         const program::Observation& b, bool threads, const std::string& names,
                         const reference::TwinResult* expected = nullptr);

// A gradient has the shape and element type of what it is the gradient of. Needs no twin: compares
// .grad with its value, and results of `grad` with the inputs.
Verdict JudgeGradientTypes(const program::Program& program, const program::Observation& observed);

// Every accessor of a gradient shows what the first read showed: copies, elements one by one, a
// second read after all others. What is written into a copy changes the copy alone; what is written
// into a .grad changes no other gradient and no value. Needs no twin.
Verdict JudgeAccessors(const program::Program& program, const program::Observation& observed);

// Dependency counts are judged twice, and the two check each other. Predicted: for each call whose
// nodes were all made by statements, the nodes, their edges, their dependency counts and whether
// they are needed are those that the twin derives from the Program alone.
Verdict JudgePredictedCounts(const Evidence& evidence);
// Recounted: for every call, dependency counts, topological pruning, which nodes are needed and
// which ran follow from the call's recorded nodes, by an algorithm of the recount's own.
Verdict JudgeRecount(const Evidence& evidence);

// Values, gradients, versions and flags are the twin's. Compares every value at the end of the run:
// whether it is defined and requires grad, its version, its contents and its .grad, with numbers
// compared by the twin's error bounds. After an error in a call that several threads ran, a leaf's
// .grad may also be one of the twin's alternatives.
Verdict JudgeValues(const Evidence& evidence);

// First and second derivatives are those of the dual numbers, which know nothing of reverse mode.
// Values and .grad must agree within the sum of both witnesses' bounds, element by element; at a
// kink the dual numbers take the twin's choice (what else is right there, for an engine that
// chooses otherwise, is told by reference/legal.h). Where mathematics gives an infinity or NaN,
// that must be shown. Skipped if the dual numbers do not apply. They must have been told of the
// statements that failed in the run.
Verdict JudgeDual(const Evidence& evidence, const reference::DualResult& dual);

// How many elements of the gradients that a Program asks for the dual numbers judge: of .grad at
// the end of the run and of results of `grad`, as far as they are defined and floating, by the
// order of the derivative. Judged is an element that they, and the twin's bound, can contradict.
struct GradientCount {
  std::array<uint64_t, 2> asked = {};  // of first order, of second
  std::array<uint64_t, 2> judged = {};
};
GradientCount CountGradients(const Evidence& evidence, const reference::DualResult& dual);

// An element that is not as the dual numbers have it.
struct DualMiss {
  program::ValueId value = program::kNoValue;
  bool grad = false;
  size_t index = 0;
};
// All of them, of tensors that are there.
std::vector<DualMiss> DualMisses(const Evidence& evidence, const reference::DualResult& dual);

// Values and derivatives lie within the stated bounds of the exact ones, which balls enclose: the
// engine's and the twin's within the twin's bounds, those of the dual numbers (null: not at hand)
// within their own and the twin's. An absent gradient is zero. The text names those of the three
// that are wrong; the detail is kWitness if the engine is not among them. Skipped if the ball
// witness does not apply.
Verdict JudgeBall(const Evidence& evidence, const reference::ball::BallResult& ball,
                  const reference::DualResult* dual);

// Whether the balls bear the twin out, in a line, or more where they contradict it: a second
// opinion of a Program that another oracle has found.
std::string BallOpinion(const program::Program& program, const reference::TwinResult& twin,
                        const reference::ball::BallResult& ball, bool* contradicts);

// Each node runs at most once and after all nodes that deliver to it; with one thread, in the
// twin's order.
Verdict JudgeOrder(const Evidence& evidence);

// Hooks fire as often, in the order and with the gradients that the twin says. With one thread the
// whole log of each call is compared; with several, the log of each node.
Verdict JudgeHooks(const Evidence& evidence);

// What hooks read of a .grad that several thread sections add to follows from one order in which
// their calls added to it, those of one section in the order of the Program: one order for all that
// is read at that leaf. The orders at several leaves are taken to be independent.
Verdict JudgeSharedReads(const Evidence& evidence);

// The thread that runs the Program is given the warnings that the twin says, in the order of a run
// on one thread, whatever the number of threads: from which hook, at which node, in which call.
Verdict JudgeWarnings(const Evidence& evidence);

// --- By what only this repository's engine shows; see Observation ---

// A node of device d runs on the worker of that device, and one of the CPU on the thread that made
// the call; so do its hooks. In a nested call, and where there are no workers, all of it runs on
// the calling thread, as callbacks always do. Which device a node has follows from the Program.
Verdict JudgeThreads(const Evidence& evidence);

// After a call that has returned or thrown, what the engine keeps for the calling thread is as it
// was: modes, depth, task, filter, current node, turn; the next order key goes on from that before.
Verdict JudgeThreadState(const program::Program& program, const program::Observation& observed);

// Each callback that a hook queues runs once, in the call that runs the hook, after all of its
// nodes; those that one thread queues run in their order. A call that fails runs none or all.
Verdict JudgeCallbacks(const program::Program& program, const program::Observation& observed);

// A run on one thread gives back all memory that it took; a call that has failed keeps none that
// the next one would free.
Verdict JudgeLeaks(const program::Program& program, const program::Observation& observed);

// What is done on the streams of a simulated device is ordered by events where that of the
// Program's own statements is, and is reported where that surely is not (reference/stream_races.h).
// Of Programs with thread sections, where all of it is ordered (program/stream_order.h).
Verdict JudgeStreams(const program::Program& program, const program::Observation& observed);

// A node on a stream of a simulated device comes after what it takes and what its stream waited for
// before, and after nothing else, so that all else may overlap. Of runs whose calls are made by one
// thread.
Verdict JudgeStreamWaits(const program::Program& program, const program::Observation& observed);

// Each .grad and each result of `grad` has memory of its own when the call has ended; what a hook
// keeps is not written in the course of it. Values share memory with those with which the twin says
// they do.
Verdict JudgeSharing(const Evidence& evidence);

// A call writes the .grads of the leaves that it may reach and of values that retain theirs, and
// nothing else: seeds, saved values, results of earlier calls and other .grads hold what they held.
Verdict JudgeWrites(const program::Program& program, const program::Observation& observed);

}  // namespace twingrad::oracles
