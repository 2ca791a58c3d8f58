// Variables and nodes of the twin: primitives are evaluated, recorded and differentiated.
//
// A node is a sequence of recorded steps. A statement makes one node, whatever it is lowered to.
// While a call runs with create_graph, each primitive that depends on history makes a node of its
// own, so that second and higher derivatives need no special case: recording continues. The
// derivatives are in the rows of primitive_row.h. One thread; everything lives in the run's arena.

#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/observation.h"
#include "autograd/reference/arena.h"
#include "autograd/reference/dialect.h"
#include "autograd/reference/place_map.h"
#include "autograd/reference/primitives.h"

namespace twingrad::reference {

using NodeId = int32_t;
inline constexpr NodeId kNoNode = -1;

// An array with its history. Undefined (a gradient that is absent) where `data` is null.
struct Variable {
  const Array* data = nullptr;
  NodeId node = kNoNode;  // that made it; kNoNode: no history
  int16_t operand = -1;   // of the statement being recorded: which of its edges this is
  int16_t step = -1;      // of the statement being recorded: the step that made it
  bool tracked = false;   // a gradient can flow to it
  int32_t storage = -1;   // of the Program's tensor that it reads, -1: private
  uint32_t version = 0;   // of the storage when read
  // The tensor that it reads, if that is a view whose node may not be requested once it is stale.
  program::ValueId unrenewed_view = program::kNoValue;

  bool defined() const { return data != nullptr; }
};

// One primitive as it was evaluated.
struct Step {
  Primitive primitive = Primitive::kAdd;
  Variable in[3];
  Variable out;
  PrimitiveArguments arguments;
};

// A storage whose version must be the same when the node runs.
struct SavedVersion {
  int32_t storage = -1;
  uint32_t version = 0;
  program::ValueId unrenewed_view = program::kNoValue;  // as of Variable
};

// What a node packed in a region of saved-tensor hooks.
struct Packing {
  int32_t region = -1;  // the statement that began it
  bool scales = false;
  double by = 1;
  absl::Span<const Array* const> tensors;  // as they were, in the order of packing
};
struct CustomRule;  // custom.h

struct Node {
  program::NodeName name;
  uint64_t key = 0;  // the order key: creation order
  int32_t topological_nr = 0;
  program::DeviceIndex device = program::kCpu;
  absl::Span<const NodeId> edges;
  absl::Span<const Step> steps;
  absl::Span<const Variable> terms;  // of a kAddAll node: one an edge
  absl::Span<const SavedVersion> saved;
  const Packing* packing = nullptr;  // null: no hooks; else no version is checked
  bool saves = false;                // running it again needs retain_graph
  bool freed = false;
  bool may_be_freed = false;    // by a call that another thread section made fail
  bool zeros_to_first = false;  // its first edge gets zeros
  bool elementwise = false;     // of a statement that is one op on elements
  bool within = false;          // broadcasts an operand: runs within the node that delivers to it
  int32_t hooks = -1;           // index of its hooks, -1: none
  program::ValueId leaf = program::kNoValue;
  // In-place write through a view: where the view lies in the base, an array of the base's shape.
  IndexMap slice;
  const Array* base_like = nullptr;
  // Of a statement that gives all parts of its operand, where each lies in it; then `base_like` is
  // an array of the operand's shape.
  absl::Span<const IndexMap> parts;
  const Shape* slice_shape = nullptr;
  NodeId written_view = kNoNode;  // the view's node after the write, where it has one
  // A node with several inputs is followed by a port for each but the first; an edge to input k
  // leads to the k-th entry after the node, where contributions wait and hooks on that result are.
  int32_t num_inputs = 1;
  NodeId port_of = kNoNode;  // of a port
  const CustomRule* custom = nullptr;
};

class Calculus {
 public:
  explicit Calculus(Arena& arena, const DialectRules& rules = {}) : arena_(arena), rules_(rules) {
    nodes_.reserve(64);
    steps_.reserve(8);
  }

  Arena& arena() { return arena_; }
  const DialectRules& rules() const { return rules_; }
  std::vector<Node>& nodes() { return nodes_; }
  NodeId AddNode(const Node& node);
  // Gives the newest node this many inputs.
  void MakePorts(NodeId node, int32_t inputs);
  // The node of an edge.
  NodeId MainOf(NodeId edge) const {
    return nodes_[edge].port_of == kNoNode ? edge : nodes_[edge].port_of;
  }

  // Statements: steps are collected between Begin and Take.
  void BeginStatement();
  absl::Span<Step> TakeSteps();

  // A call of the engine: whether what is computed is recorded, and as which statement's.
  void BeginCall(int32_t statement, bool create_graph);
  void EndCall();
  // Nodes made from here on belong to the device of `node`.
  void EnterNode(NodeId node) { device_ = nodes_[node].device; }

  // Evaluates a primitive and records it if its history requires that.
  Variable Apply(Primitive primitive, const PrimitiveArguments& arguments, const Variable& a,
                 const Variable& b = {}, const Variable& c = {});
  Variable Apply(Primitive primitive, const Variable& a, const Variable& b = {},
                 const Variable& c = {}) {
    return Apply(primitive, PrimitiveArguments(), a, b, c);
  }
  Variable Gather(const Variable& a, const IndexMap& map, const Shape* shape) {
    return Apply(Primitive::kGather, {.map = map, .shape = shape}, a);
  }
  // What no gradient reaches; an array of one value has the type and shape of `like`.
  Variable Constant(const Array* array) const;
  Variable Constant(double value, const Variable& like);
  // With `lenient` a NaN that arises is not compared.
  Variable AddAll(absl::Span<const Variable> terms, bool lenient);

  // The rest of what composite.h asks of an algebra: what a statement is lowered to becomes its
  // steps.
  using Value = Variable;
  const Array* ArrayOf(const Variable& v) const { return v.data; }
  bool DividesLate() const { return rules_.divides_late; }
  bool SavesFactors() const { return rules_.factors_are_saved; }
  // What an op has summed of an operand, to multiply by it: the node saves the operand, and sums it
  // again; in some dialects it saves the sum, where that is not the operand in another shape.
  Variable MadeOf(const Variable& operand, Variable value) const {
    if (rules_.sums_are_saved && value.data->size != operand.data->size) {
      if (value.step < 0) value.operand = operand.operand;  // no constant of the op's own
      return value;
    }
    value.storage = operand.storage;
    value.version = operand.version;
    value.unrenewed_view = operand.unrenewed_view;
    return value;
  }
  // a, from which formulas part where its gradient is infinite.
  Variable Parting(const Variable& a) { return Apply(Primitive::kParting, a); }
  // a, whose derivative depends on its value, with a derivative of zero, in some dialects.
  Variable WithHistoryOfSlope(const Variable& a) {
    if (!rules_.signs_have_history) return a;
    Variable ones = a;
    ones.data = Constant(1, a).data;
    return Apply(Primitive::kWeigh, {.unsaved = true}, a, ones);
  }
  const Picks& Settled(const Variable&, const Picks& picks, absl::Span<const Tie>) { return picks; }

  // The gradients that `node` computes from `g`, one per edge; undefined where not `wanted`.
  absl::Span<Variable> Differentiate(NodeId node, const Variable& g, absl::Span<const bool> wanted);

  // While it is set, nodes that are made pack what they save; null: they do not.
  void SetPacking(const Packing* packing) { packing_ = packing; }
  const Packing* packing() const { return packing_; }

  // An input or result that a step of the node saved, as unpacked. While a call is recorded it has
  // a history: intermediate values, for example a broadcast operand, are recomputed.
  Variable Unpack(NodeId node, const Variable& saved);
  // Its elements alone, of which weights and conditions are made.
  const Array* UnpackElements(NodeId node, const Variable& saved);

  // The step that shows a view of a base, an array of the type and shape of `base_like`.
  static Step ViewStep(const Array* base_like, NodeId base, const IndexMap& map,
                       const Shape* shape);

  // Makes the node check this operand's version too, although none of its steps saves it.
  void AlsoSave(NodeId node, const Variable& operand);

  // The storages whose versions a node with these steps checks; sets `saves`.
  absl::Span<const SavedVersion> SavedOf(absl::Span<const Step> steps, bool* saves);

 private:
  Variable Record(Primitive primitive, const Variable* in, const PrimitiveArguments& arguments,
                  const Array* data);
  void DifferentiateSteps(NodeId node, const Variable& g, absl::Span<const bool> wanted,
                          absl::Span<Variable> results);
  void WalkSteps(NodeId node, const Variable& g, absl::Span<const bool> wanted,
                 absl::Span<Variable> results);
  NodeId AddBackwardNode(absl::Span<const NodeId> edges, absl::Span<const Step> steps,
                         absl::Span<const Variable> terms);
  NodeId EdgeOfWrittenView(NodeId copy_slices);
  const Array* Unpacked(const Packing* packing, const Array* saved);

  Arena& arena_;
  const DialectRules rules_;
  std::vector<Node> nodes_;
  std::vector<Step> steps_;
  const Packing* packing_ = nullptr;
  bool in_statement_ = false;
  bool lenient_ = true;  // a NaN that arises in a call is not compared
  bool create_graph_ = false;
  int32_t call_ = -1;
  program::DeviceIndex device_ = program::kCpu;
  int32_t nodes_of_call_ = 0;
  uint64_t next_key_ = 0;
};

}  // namespace twingrad::reference
