// The twin: a single-threaded interpreter of Programs that predicts all that an engine must show.
//
// Values come from scalar loops, gradients from walking the Program backwards, node by node in the
// order of the single-threaded ready queue; dependency counts, execution sets, hooks and errors
// from the rules in README.md. Every number carries a bound on the distance of any correct engine's
// number. Does not depend on the packages tensor, graph, ops and engine. A pure function of the
// Program; safe from any thread.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/reference/dialect.h"

namespace twingrad::reference {

// How far the numbers of a tensor may lie from the twin's, by element: 0: equal (a NaN equals a
// NaN, and -0 equals 0), +infinity: not compared, else |other - twin| <= bound. Empty where all are
// 0, as most are, and where the tensor is undefined.
struct Judged {
  std::vector<double> bound;

  double Of(size_t element) const { return element < bound.size() ? bound[element] : 0; }
};

// Another legal value of a leaf's .grad after a call failed on several device threads: a gradient
// is accumulated completely or not at all, depending on timing.
struct GradAlternative {
  program::ValueId value = program::kNoValue;
  bool defined = false;
  program::TensorData data;
  Judged bound;
};

// What hooks after accumulation read of a leaf's .grad that calls of several thread sections add
// to: a call adds and runs its hooks as one step, and timing decides in which order the calls do.
struct SharedReads {
  // A record by the statements of the call and of the hook.
  struct Place {
    int32_t call = -1;
    int32_t hook = -1;
    bool operator==(const Place&) const = default;
  };
  struct Seen {
    program::TensorData data;
    Judged bound;
  };
  program::ValueId leaf = program::kNoValue;
  std::vector<Place> places;
  // By order of the calls in which those of one section keep theirs, then by place.
  std::vector<std::vector<Seen>> orders;
};

struct TwinResult {
  // As a single-threaded run shows it. The nodes, roots, inputs, dependencies, needed and executed
  // of a call are empty unless `call_predicted`.
  program::Observation observation;
  std::vector<Judged> value_bounds;  // by ValueId
  std::vector<Judged> grad_bounds;   // by ValueId
  // By call: whether all of its nodes are made by statements, so that their names, edges, counts
  // and order follow from the Program alone; graphs that create_graph made are left to the recount.
  std::vector<bool> call_predicted;
  // By call: its ready nodes may run in any order. So with `any_order`, over nodes that
  // create_graph made where their order is the engine's own, and where the call may reach the node
  // of a view that several sections could have made anew.
  std::vector<bool> call_in_any_order;
  // By call and hook record: bounds on what the hook saw.
  std::vector<std::vector<Judged>> hook_bounds;
  // When the Program ends in an error, any of these is correct for an engine with several device
  // threads; the first is that of a single-threaded run.
  std::vector<program::ErrorRecord> legal_errors;
  std::vector<GradAlternative> grad_alternatives;
  // All of these are legal on one thread too: create_graph made the nodes of the call that failed.
  bool ends_in_any_order = false;
  // A call failed in a try region and several devices were at work: what follows depends on timing,
  // so only a single-threaded engine can be compared.
  bool single_thread_only = false;
  // --- Thread sections: timing decides what follows; see README.md ---
  // By ValueId: sections added to this .grad in an order that its bits depend on.
  std::vector<bool> grad_in_any_order;
  // Such a .grad was read, so that other values depend on it too.
  bool order_reaches_values = false;
  // Hooks that record and do no more, by statement, of which timing decides whether they fire in
  // calls of statement `from` and of those after it: another section adds or removes them.
  struct UncertainHook {
    int32_t statement;
    int32_t from;
  };
  std::vector<UncertainHook> uncertain_hooks;
  // By leaf; in each some order holds.
  std::vector<SharedReads> shared_reads;
  bool IsSharedRead(int32_t call, int32_t hook) const {
    const SharedReads::Place place{call, hook};
    return std::any_of(shared_reads.begin(), shared_reads.end(), [&place](const SharedReads& s) {
      return std::find(s.places.begin(), s.places.end(), place) != s.places.end();
    });
  }
  // Calls, by statement, that may end with kFreed because another section's call releases the graph
  // meanwhile; those of them that do in this prediction; false if all but those cannot be.
  std::vector<int32_t> contended_calls;
  std::vector<int32_t> freed_calls;
  bool freed_calls_are_legal = true;
  // Why the twin cannot judge this Program; the rest is then meaningless.
  std::optional<std::string> skipped;
};

// `program` must be valid (see autograd/program/analyze.h). With `any_order` the engine may run
// ready nodes in any order, as if they were on several devices.
TwinResult RunTwin(const program::Program& program, const DialectRules& rules = {},
                   bool any_order = false);
inline TwinResult RunTwin(const program::Program& program, Dialect dialect,
                          bool any_order = false) {
  return RunTwin(program, RulesOf(dialect), any_order);
}

// The prediction of a run in which these contended calls end with kFreed.
TwinResult RunTwinWithFreed(const program::Program& program, std::vector<int32_t> freed_calls,
                            const DialectRules& rules = {}, bool any_order = false);

}  // namespace twingrad::reference
