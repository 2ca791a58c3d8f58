// An Observation: everything that one run of a Program shows, in terms of the Program alone.
//
// The engine's runner, the twin and adapters of foreign engines all fill this structure; oracles
// compare two of them. A node is named by its role, statement and local index in the Program, never
// by an address. Plain data; no thread-safety of its own.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "autograd/base/error.h"  // IWYU pragma: export
#include "autograd/base/words.h"
#include "autograd/program/program.h"

namespace twingrad::program {

// Contents of a tensor in row-major order.
struct TensorData {
  DType dtype = DType::kF64;
  Shape shape;
  Bits bits;
  bool operator==(const TensorData&) const = default;
};

struct ErrorRecord {
  ErrorKind error = ErrorKind::kInternal;
  int statement = -1;
  std::string message;
};

// What made a node.
enum class NodeRole : uint8_t {
  kStatement,        // the node of a differentiable statement (in-place ones included)
  kAccumulateGrad,   // of a leaf: `statement` is the leaf's
  kCopySlices,       // in-place write through a view: `statement` is the write's
  kRegeneratedView,  // a view's node made anew after its base was written: `statement` is the
                     // view's; of n results, number i has the indices i, i + n, ...
  kGraphRoot,        // made by a call with several roots
  kIdentity,         // stands for an unreachable input
  kBackward,         // made while a call with create_graph ran; `statement` is the call's
};
inline constexpr int kNumNodeRoles = static_cast<int>(NodeRole::kBackward) + 1;

// The roles in texts and replies, in the order of NodeRole.
inline constexpr auto kNodeRoleNames = SplitWords<kNumNodeRoles>(
    "statement accumulate_grad copy_slices regenerated_view graph_root identity backward");
constexpr std::string_view NodeRoleName(NodeRole role) {
  return kNodeRoleNames[static_cast<int>(role)];
}

// Names a node within a Program: unique per (role, statement, index).
struct NodeName {
  NodeRole role = NodeRole::kStatement;
  int32_t statement = -1;
  int32_t index = 0;  // counts the nodes of that role that the statement made
  bool operator==(const NodeName&) const = default;
};

struct EdgeRecord {
  int32_t node = -1;  // index into CallRecord::nodes, or -1 for an invalid edge
  int32_t input_nr = 0;
  bool operator==(const EdgeRecord&) const = default;
};

// Most nodes have one edge or two.
using EdgeRecords = absl::InlinedVector<EdgeRecord, 2>;

struct NodeRecord {
  NodeName name;
  int32_t num_inputs = 1;
  EdgeRecords next_edges;
};

// Which thread did something in a call, by its part in the run: the number of a worker of the
// engine, or one of these.
inline constexpr int16_t kCallingThread = -1;  // that which made the call
inline constexpr int16_t kOtherThread = -2;    // neither that one nor a worker
inline constexpr int16_t kNotShown = -3;

// One firing of a hook or final callback, in the order in which they fired. A final callback sees
// no gradient.
struct HookRecord {
  int32_t node = -1;       // index into CallRecord::nodes; -1 for a final callback
  int32_t statement = -1;  // the statement that registered the hook
  bool gradient_defined = false;
  TensorData gradient;  // what the hook saw, before it acted
  int16_t thread = kNotShown;
  // The hook has kept the gradient, and at the end of the call it was another.
  bool overwritten = false;
};

// What the engine keeps for each thread, and leaves as it was before a call.
enum class ThreadPart : uint8_t {
  kGradMode,
  kAnomaly,
  kInference,
  kSavedHooks,
  kOtherModes,
  kDepth,  // of nested calls
  kTask,
  kFilter,      // which nodes the task executes
  kNode,        // that is evaluated
  kTurn,        // at a leaf's .grad
  kOrderKeys,   // the next goes on from that before
  kDestroying,  // nodes
};
inline constexpr int kNumThreadParts = static_cast<int>(ThreadPart::kDestroying) + 1;
inline constexpr auto kThreadPartNames = SplitWords<kNumThreadParts>(
    "grad_mode anomaly inference saved_hooks other_modes depth task filter node turn order_keys "
    "destroying");

// A .grad, or a result of `grad`, that shares memory with another tensor when a call has ended.
struct SharingRecord {
  ValueId value = kNoValue;
  bool is_grad = false;     // .grad of the value, else the value
  ValueId with = kNoValue;  // the other, if it is no hook's
  bool with_grad = false;
  int32_t hook = -1;  // the statement whose hook keeps the other
};

// A value, or its .grad, that holds something else than before a call.
struct WriteRecord {
  ValueId value = kNoValue;
  bool is_grad = false;
  bool operator==(const WriteRecord&) const = default;
};

// What raised a warning.
enum class WarningSource : uint8_t {
  kHook,    // a hook or custom function with do=warn
  kLayout,  // a leaf that adds a gradient to a .grad of another layout than its own
  kOther,
};
constexpr std::string_view WarningSourceName(WarningSource source) {
  constexpr std::string_view kNames[] = {"hook", "layout", "other"};
  return kNames[static_cast<int>(source)];
}

// A warning that the handler of the thread which runs the Program was given.
struct WarningRecord {
  int32_t call = -1;  // the statement whose call gave it
  WarningSource source = WarningSource::kOther;
  // Of a kHook: the statement that says do=warn, and the node that was evaluated; role kBackward
  // with statement -1 where the node was not recorded.
  int32_t statement = -1;
  NodeName node = {NodeRole::kBackward, -1, 0};
  std::string text;
};

// What the streams of a simulated device knew of each other at a moment of a call.
struct StreamStep {
  enum class Kind : uint8_t {
    kCall,   // the graph is known, nothing has run
    kBegin,  // a node is about to run, and has waited
    kEnd,    // it has run, and nothing that it gave has been handed on
  };
  Kind kind = Kind::kCall;
  uint32_t number = 0;  // its place among all such moments of the run
  int32_t node = -1;    // index into CallRecord::nodes
  int thread = -1;      // the number of a worker of the engine, or -1
  // Stream 0 is the host. By device, the stream that is the thread's current one.
  absl::InlinedVector<uint32_t, 4> current;
  uint32_t known = 0;  // index into CallRecord::stream_orders
};

// Of each stream: how much work of each comes before its next. A square table, row by row; column 0
// means nothing. A last row, which may be missing: how much was done when the host looked.
using KnownOrder = std::vector<uint64_t>;

inline constexpr size_t kMostStreamReports = 100;

// An access to memory of a simulated device that no event orders, or that is not there.
struct StreamReport {
  std::string text;
  int32_t statement = -1;  // whose work it is, if that is known
  int32_t other = -1;      // and that which it is not ordered with
};

// The stream of a node; 0 on the CPU.
struct NodeStream {
  uint32_t stream = 0;
  DeviceIndex device = kCpu;
};

// One call of the engine: `backward` or `grad`, or one that a hook made in the course of another.
struct CallRecord {
  int32_t statement = -1;  // the call's; of a nested one, that of the hook
  // Index in Observation::calls of the call whose hook made this one; -1: a statement's own.
  int32_t outer = -1;
  bool keep_graph = false;
  bool create_graph = false;
  bool accumulate_grad = false;
  // The graph as it stood before the run: all nodes reachable from the roots, in discovery order,
  // then those of inputs that no root reaches (their position decides what is pruned).
  std::vector<NodeRecord> nodes;
  EdgeRecords roots;
  EdgeRecords inputs;  // empty for a plain backward
  // The engine's own counters before the run, by node; -1 where the engine holds no entry.
  std::vector<int32_t> dependencies;
  // Whether the node was marked for execution (exec_info), by node; empty for a plain backward.
  std::vector<bool> needed;
  // Node indices in the order in which evaluation began (applied nodes only, not captures).
  std::vector<int32_t> executed;
  std::vector<HookRecord> hooks;

  // --- What only this repository's engine shows ---
  std::vector<int16_t> threads;  // by place in `executed`, which thread evaluated the node
  bool failed = false;           // it ended with an error
  // Bit i: ThreadPart i of the calling thread is not what it was before the call.
  uint32_t left_changed = 0;
  uint64_t order_keys = 0;             // that the calling thread has used up
  std::vector<SharingRecord> sharing;  // of a call of a statement outside thread sections
  std::vector<WriteRecord> writes;     // of such a call, to what was there before
  // Blocks of memory that it kept after it had failed; the next call on the thread freed them.
  int64_t held_blocks = 0;
  // Of a Program with devices, in the order in which they were noted.
  std::vector<StreamStep> stream_steps;
  std::vector<KnownOrder> stream_orders;  // what streams knew; moments share what did not change
  std::vector<NodeStream> node_streams;   // by node
};

struct ValueRecord {
  bool defined = false;  // false: never reached, or an undefined gradient
  bool requires_grad = false;
  TensorData data;            // contents at the end of the run
  uint32_t version = 0;       // of the storage at the end of the run
  bool grad_defined = false;  // of .grad at the end of the run
  TensorData grad;
  ValueId storage = kNoValue;  // the first value that uses the same memory; kNoValue: not shown
};

// What another way to read a gradient (a .grad, or a value that `grad` or read_grad made) showed at
// the end of the run, where it is not what the first read showed. The words of accessors are in
// proptests/protocol/README.md.
struct AccessorRecord {
  std::string accessor;
  ValueId value = kNoValue;
  bool is_grad = false;
  TensorData expected;
  std::optional<TensorData> shown;  // none: it failed
  std::string error;                // then: how
};

// A .grad that changed after the call at `statement` had returned or thrown, when nothing may write
// it any more.
struct LateWrite {
  ValueId value = kNoValue;
  int32_t statement = -1;
};

struct Observation {
  std::vector<ValueRecord> values;        // by ValueId
  std::vector<CallRecord> calls;          // as OrderCalls leaves them; a failed call included
  std::optional<ErrorRecord> error;       // the error that ended the run
  std::vector<ErrorRecord> survived;      // errors that ended a region of kind=try, in order
  std::vector<WarningRecord> warnings;    // in the order in which the handler was given them
  std::optional<LateWrite> late_write;    // ended the run; only if the run was asked to look
  std::vector<AccessorRecord> accessors;  // at most one of each accessor and gradient
  // --- What only this repository's engine shows ---
  int32_t stopped_beside = -1;  // from this call on another thread may have ended the workers
  // Of the pool, and not given back at the end of a run on one thread; negative: too much was.
  int64_t leaked_blocks = 0;
  int64_t leaked_bytes = 0;
  std::vector<StreamReport> stream_reports;
  // Whether each access that no event orders is reported, up to kMostStreamReports of them.
  bool reports_each_access = false;
};

// The order in which calls stand in an Observation, as indices into `calls`: those of statements in
// the order of the Program, each followed by those that its hooks made, in the order of the hooks'
// statements, each again followed by its own. A hook makes at most one call in the course of
// another, so that the order does not depend on timing. Empty where no call was made in the course
// of another: they stand so already.
std::vector<int32_t> CallOrder(const std::vector<CallRecord>& calls);
// Puts the calls in that order.
void OrderCalls(std::vector<CallRecord>& calls);

// The statement whose call this one is, or was made in the course of.
int32_t OutermostStatement(const std::vector<CallRecord>& calls, size_t call);

}  // namespace twingrad::program
