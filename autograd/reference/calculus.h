// Variables and nodes of the twin, and the derivative of every primitive, written with primitives.
//
// A node is a sequence of recorded steps. A statement makes one node, whatever it is lowered to.
// While a call runs with create_graph, each primitive that depends on history makes a node of its
// own, so that second and higher derivatives need no special case: recording continues. One thread;
// everything lives in the run's arena.

#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/observation.h"
#include "autograd/reference/arena.h"
#include "autograd/reference/dialect.h"
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
};

struct Node {
  program::NodeName name;
  uint64_t key = 0;  // the order key: creation order
  int32_t topological_nr = 0;
  program::DeviceIndex device = program::kCpu;
  absl::Span<const NodeId> edges;
  absl::Span<const Step> steps;
  absl::Span<const Variable> terms;  // of a kAddAll node: one an edge
  absl::Span<const SavedVersion> saved;
  bool saves = false;  // running it again needs retain_graph
  bool freed = false;
  bool zeros_to_first = false;  // its first edge gets zeros
  int32_t hooks = -1;           // index of its hooks, -1: none
  program::ValueId leaf = program::kNoValue;
  // In-place write through a view: where the view lies in the base, an array of the base's shape.
  IndexMap slice;
  const Array* base_like = nullptr;
  const Shape* slice_shape = nullptr;
  NodeId written_view = kNoNode;  // the view's node after the write, where it has one
};

class Calculus {
 public:
  explicit Calculus(Arena& arena, const DialectRules& rules = {}) : arena_(arena), rules_(rules) {
    nodes_.reserve(64);
  }

  Arena& arena() { return arena_; }
  std::vector<Node>& nodes() { return nodes_; }
  NodeId AddNode(const Node& node);

  // Statements: steps are collected between Begin and Take.
  void BeginStatement();
  absl::Span<Step> TakeSteps();

  // A call of the engine: whether what is computed is recorded, and as which statement's.
  void BeginCall(int32_t statement, bool create_graph);
  void EndCall();
  // Nodes made from here on belong to the device of `node`.
  void EnterNode(NodeId node) { device_ = nodes_[node].device; }

  // Evaluates a primitive and records it if its history requires that.
  Variable Apply(Primitive primitive, const Variable& a, const Variable& b = {},
                 const Variable& c = {}, const PrimitiveArguments& arguments = {});
  Variable Gather(const Variable& a, const IndexMap& map, const Shape* shape);
  Variable ScatterAdd(const Variable& a, const IndexMap& map, const Shape* shape);
  Variable Constant(double value, const Variable& like);
  Variable AddAll(absl::Span<const Variable> terms);

  // The gradients that `node` computes from `g`, one per edge; undefined where not `wanted`.
  absl::Span<Variable> Differentiate(NodeId node, const Variable& g, absl::Span<const bool> wanted);

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
  Variable Derivative(NodeId node, const Step& step, int which, const Variable& g);
  Variable DerivativeOfPower(NodeId node, const Step& step, int which, const Variable& g);
  Variable DerivativeOfMap(NodeId node, const Step& step, const Variable& g);
  Variable DerivativeOfQuotient(NodeId node, const Step& step, int which, const Variable& g);
  Variable Shared(const Variable& g, int64_t count);
  Variable DerivativeOfSign(const Array* weight, Variable value, const Variable& g);
  Variable DerivativeOfCast(const Step& step, const Variable& g);
  Variable DerivativeOfClamp(const Step& step, const Variable& g);
  Variable DerivativeOfPlaces(const Step& step, const Variable& g);
  Variable DerivativeOfGroups(NodeId node, const Step& step, const Variable& g);
  Variable Unpack(NodeId node, const Variable& saved);
  NodeId AddBackwardNode(absl::Span<const NodeId> edges, absl::Span<const Step> steps,
                         absl::Span<const Variable> terms);
  NodeId EdgeOfWrittenView(NodeId copy_slices);

  Arena& arena_;
  const DialectRules rules_;
  std::vector<Node> nodes_;
  std::vector<Step> steps_;
  bool in_statement_ = false;
  bool create_graph_ = false;
  int32_t call_ = -1;
  program::DeviceIndex device_ = program::kCpu;
  int32_t nodes_of_call_ = 0;
  uint64_t next_key_ = 0;
};

// The algebra of composite.h on variables: what a statement is lowered to becomes its steps.
class StatementAlgebra {
 public:
  using Value = Variable;

  StatementAlgebra(Calculus& calculus, std::deque<Shape>& shapes)
      : calculus_(calculus), shapes_(shapes) {}

  Arena& arena() { return calculus_.arena(); }
  const Shape* Keep(const Shape& shape) { return &shapes_.emplace_back(shape); }
  const Array* ArrayOf(const Variable& v) const { return v.data; }
  void NoteTie() {}
  Variable Gather(const Variable& a, const IndexMap& map, const Shape* shape) {
    return calculus_.Gather(a, map, shape);
  }
  Variable Pick(const Variable& a, const IndexMap& map, const Shape* shape) {
    PrimitiveArguments arguments;
    arguments.map = map;
    arguments.shape = shape;
    arguments.picks = true;
    return calculus_.Apply(Primitive::kGather, a, {}, {}, arguments);
  }
  Variable ScatterAdd(const Variable& a, const IndexMap& map, const Shape* shape) {
    return calculus_.ScatterAdd(a, map, shape);
  }
  Variable Overwrite(const Variable& base, const Variable& values, const IndexMap& map) {
    PrimitiveArguments arguments;
    arguments.map = map;
    return calculus_.Apply(Primitive::kOverwrite, base, values, {}, arguments);
  }
  Variable Apply(Primitive primitive, const Variable& a, const Variable& b = {},
                 const PrimitiveArguments& arguments = {}) {
    return calculus_.Apply(primitive, a, b, {}, arguments);
  }
  Variable Constant(const Array* array) {
    Variable constant;
    constant.data = array;
    return constant;
  }

 private:
  Calculus& calculus_;
  std::deque<Shape>& shapes_;
};

}  // namespace twingrad::reference
