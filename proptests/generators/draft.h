// A Draft: the Program under construction, and what its generator knows of each value.
//
// Tracks what ProgramBuilder does not: which values require grad, which are views of the same base,
// which saved variables a write would invalidate, and the ranges of numbers. Parts ask the Draft
// for suitable values and add statements to it; a statement that the builder rejects changes
// nothing. Belongs to one thread.

#pragma once

#include <bitset>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "autograd/program/builder.h"
#include "autograd/program/program.h"
#include "autograd/program/region.h"
#include "proptests/generators/graph.h"
#include "proptests/generators/options.h"
#include "proptests/generators/range.h"
#include "proptests/generators/source.h"
#include "proptests/generators/swarm.h"

namespace twingrad::generators {

using twingrad::DType;
using twingrad::Shape;
using twingrad::program::Attribute;
using twingrad::program::Bits;
using twingrad::program::DeviceIndex;
using twingrad::program::Key;
using twingrad::program::kNoValue;
using twingrad::program::Opcode;
using twingrad::program::Program;
using twingrad::program::ProgramBuilder;
using twingrad::program::TensorType;
using twingrad::program::ValueId;
using Attributes = ProgramBuilder::Attributes;

// What the Draft knows of a value beyond its type.
struct Known {
  NodeIndex node = kNoNode;  // of its gradient; may be stale after a write to the base: use NodeOf
  ValueId base = kNoValue;   // that it is a view of; itself when it is no view
  bool leaf = false;
  bool writable = true;  // false: elements overlap in memory
  bool contiguous = true;
  bool usable = true;            // false: may be undefined
  bool is_gradient = false;      // made by a call
  bool emptied = false;          // hooks may make its .grad undefined
  bool made_in_no_grad = false;  // a view that must not be written in grad mode
  bool aliased = false;          // shares memory with another value
  uint32_t writes = 0;           // to a base and its views, so far
  uint32_t synced = 0;           // writes of the base that `node` reflects
  int64_t below = 0;             // of indices: they are from 0 to before this; 0: not known
  Range range;
};

class Draft {
 public:
  // Other options for a scope: fewer ops. Choices are among all outcomes there.
  class [[nodiscard]] Narrowed {
   public:
    Narrowed(Draft& draft, const GeneratorOptions& options)
        : draft_(draft), before_(std::exchange(draft.options_, &options)) {
      ++draft.narrowed_;
    }
    ~Narrowed() {
      draft_.options_ = before_;
      --draft_.narrowed_;
    }
    Narrowed(const Narrowed&) = delete;
    Narrowed& operator=(const Narrowed&) = delete;

   private:
    Draft& draft_;
    const GeneratorOptions* before_;
  };

  // The type of new leaves for a scope, if any is said.
  class [[nodiscard]] Typed {
   public:
    Typed(Draft& draft, std::optional<DType> dtype)
        : draft_(draft), before_(std::exchange(draft.forced_dtype_, dtype)) {}
    ~Typed() { draft_.forced_dtype_ = before_; }
    Typed(const Typed&) = delete;
    Typed& operator=(const Typed&) = delete;

   private:
    Draft& draft_;
    const std::optional<DType> before_;
  };

  // Room for the values of most Programs.
  static constexpr size_t kUsualValues = 64;

  Draft(const GeneratorOptions& options, Source& source, Swarm swarm = Swarm())
      : options_(&options), source_(source), swarm_(std::move(swarm)) {
    known_.reserve(kUsualValues);
    saved_.reserve(kUsualValues);
  }

  // --- What there is ---
  const GeneratorOptions& options() const { return *options_; }
  Source& source() { return source_; }
  const Swarm& swarm() const { return swarm_; }
  std::optional<DType> forced_dtype() const { return forced_dtype_; }
  // An outcome of a choice that the Program may have narrowed.
  uint64_t Below(Choice choice, uint64_t n) {
    return narrowed_ > 0 ? source_.Below(n) : swarm_.Below(choice, n, source_);
  }
  template <typename Container>
  const auto& Pick(Choice choice, const Container& container) {
    return container[Below(choice, std::size(container))];
  }
  Graph& graph() { return graph_; }
  int num_values() const { return static_cast<int>(known_.size()); }
  int num_statements() const { return builder_.num_statements(); }
  // Whether an op or a write of this kind has been added.
  bool Uses(Opcode op) const { return uses_[static_cast<size_t>(op)]; }
  void ForgetUse(Opcode op) { uses_.reset(static_cast<size_t>(op)); }
  const Known& operator[](ValueId value) const { return known_[value]; }
  // References hold until the next value is added.
  const TensorType& TypeOf(ValueId value) const { return builder_.TypeOf(value); }
  DType DTypeOf(ValueId value) const { return TypeOf(value).dtype; }
  const Shape& ShapeOf(ValueId value) const { return TypeOf(value).shape; }
  DeviceIndex DeviceOf(ValueId value) const { return builder_.Info(value).device; }
  int64_t NumElements(ValueId value) const;
  bool IsFloating(ValueId value) const { return twingrad::IsFloating(DTypeOf(value)); }
  // The node of the value's gradient, regenerated for a view whose base was written; kNoNode if the
  // value does not require grad.
  NodeIndex NodeOf(ValueId value) {
    Known& known = known_[value];
    if (known.base != value && known.synced != known_[known.base].writes) Regenerate(known);
    return known.node;
  }
  bool RequiresGrad(ValueId value) { return NodeOf(value) != kNoNode; }
  bool grad_mode() const { return no_grad_depth_ == 0; }
  // The widest exact range still leaves room for the derivatives of it.
  bool IsRoomy(const Range& range, DType dtype) const;
  // True when writing the value invalidates no saved variable and breaks no other rule.
  bool MayWrite(ValueId value);

  // A value for which `suits(ValueId)` holds, with a preference for recent ones; kNoValue if there
  // is none.
  template <typename Predicate>
  ValueId Pick(Predicate suits) {
    absl::InlinedVector<ValueId, 32> candidates;
    absl::InlinedVector<ValueId, 32> aliases;  // of these, the ones to narrow to
    for (ValueId v = 0; v < num_values(); ++v) {
      if (!known_[v].usable || !suits(v)) continue;
      candidates.push_back(v);
      if (known_[v].aliased && swarm_.aliases() > 0) aliases.push_back(v);
    }
    if (candidates.empty()) return kNoValue;
    const bool narrow = !aliases.empty() && source_.Chance(swarm_.aliases());
    const auto& from = narrow ? aliases : candidates;
    if (source_.Chance(100 - swarm_.latest())) return from[source_.Below(from.size())];
    return from.back();
  }
  // A floating-point value that requires grad and is small enough to build on; makes one if there
  // is none.
  ValueId PickDifferentiable();

  // Whether the Program may still grow, keeping `reserve` statements for what must follow.
  bool HasRoom(int reserve = 0) const { return num_statements() + reserve < budget_; }
  void SetBudget(int statements) { budget_ = statements; }
  // Whether ops that round may be used. Only some Programs use them, so that most stay exact.
  bool rounding() const { return rounding_; }
  void SetRounding(bool rounding) { rounding_ = rounding; }

  // --- Adding to it ---
  ValueId Leaf(const TensorType& type, Bits data, bool grad, DeviceIndex device,
               const Range& range);
  // A leaf given by seed= (small integers) or fill=.
  ValueId SeededLeaf(const TensorType& type, int64_t seed, bool grad, DeviceIndex device);
  // The first result of an op, which now and then gives its indices too; kNoValue when refused or
  // not among the options.
  ValueId Op(Opcode op, absl::Span<const ValueId> operands, Attributes attributes = {});
  ValueId Op(Opcode op, std::initializer_list<ValueId> operands, Attributes attributes = {}) {
    return Op(op, absl::MakeConstSpan(operands.begin(), operands.size()), std::move(attributes));
  }
  // Of an op that may give indices: both results; none when refused.
  std::vector<ValueId> OpWithIndices(Opcode op, ValueId x, Attributes attributes);
  // All parts of x (program/parts.h), which are not too many; none when refused.
  std::vector<ValueId> Parts(Opcode op, ValueId x, Attributes attributes);
  // A custom function: one result an operand; none when refused.
  std::vector<ValueId> Custom(absl::Span<const ValueId> operands, Attributes attributes);
  // A custom function that writes `target`; false when refused.
  bool CustomWrite(ValueId target, Attributes attributes);
  // An in-place op; false when refused.
  bool Write(Opcode op, std::initializer_list<ValueId> operands);
  // Any statement without results and without effect on the graph: hooks, retain_grad, zero_grad.
  bool Add(Opcode op, std::initializer_list<ValueId> operands, Attributes attributes = {});
  // Excludes this value and all later ones from further use, because they may be undefined or are
  // too many to choose from; but not these.
  void Forget(ValueId first, absl::Span<const ValueId> but = {});
  // Excludes the values from `first` to before `last` for as long as the thread sections beside
  // theirs are made.
  void SetHidden(ValueId first, ValueId last, bool hidden);
  // Whether a hook or custom function acts on others.
  bool has_acting_hooks() const { return has_acting_hooks_; }
  // A region; false when refused. Its end is an Opcode::kEnd.
  bool Begin(twingrad::program::RegionKind kind);
  void BeginNoGrad();
  void EndNoGrad();
  // A region of saved-tensor hooks with do=`action`; what is saved inside may be written later.
  bool BeginSavedHooks(const std::string& action, double by);
  void EndSavedHooks();

  struct Call {
    absl::InlinedVector<ValueId, 2> roots;
    absl::InlinedVector<ValueId, 2> seeds;  // kNoValue: implicit; empty: all implicit
    absl::InlinedVector<ValueId, 2> inputs;
    bool grad = false;  // `grad`, else `backward`
    bool create_graph = false;
    int retain_graph = -1;  // -1: absent
    bool allow_unused = false;
    bool materialize = false;
  };
  // Adds the call; the results of a `grad`, in the order of inputs. Empty when refused or not among
  // the options.
  std::vector<ValueId> AddCall(const Call& call);
  // Whether a call from this root would need freed or overwritten variables.
  bool IsBroken(ValueId root) { return graph_.IsBroken(NodeOf(root)); }
  // The gradient that this call would compute for `input`.
  GradientFacts Gradient(const Call& call, ValueId input);
  // By node: whether that gradient requires grad under create_graph.
  NodeFlags Differentiable(const Call& call);

  // read_grad of `input`, after `call` accumulated there; kNoValue when the call does not reach it,
  // or hooks may have made it undefined.
  ValueId ReadGrad(const Call& call, ValueId input);

  // read_grad of a leaf whose .grad may be undefined: nobody uses the result.
  void LookAtGrad(ValueId leaf);

  // Notes that the Program holds what this feature's part makes.
  void Mark(Feature feature) { drawn_.set(static_cast<size_t>(feature)); }
  const Features& drawn() const { return drawn_; }

  Program Take() { return builder_.Take(); }

 private:
  Known& Learn(ValueId value) {
    while (num_values() <= value) known_.emplace_back();
    return known_[value];
  }
  // Gives a view the node that it has after its base was written.
  void Regenerate(Known& view);
  ValueId LearnLeaf(ValueId leaf, bool grad, const Range& range);
  void LearnGradient(const Call& call, ValueId input, const GradientFacts& facts, ValueId gradient);
  Range RangeOf(Opcode op, absl::Span<const ValueId> operands, ValueId result) const;
  Range RangeOfScattered(Opcode op, absl::Span<const ValueId> operands) const;
  Range RangeOfReduced(absl::Span<const ValueId> operands, const Attributes& attributes) const;
  Range RangeOfProduct(Opcode op, absl::Span<const ValueId> operands) const;
  // What a write leaves behind.
  void LearnWrite(ValueId target, NodeIndex node, const Range& written);
  void MakeStale(ValueId target);
  using NodeList = absl::InlinedVector<NodeIndex, 4>;
  // The nodes of a call's roots, and of the seeds of these.
  struct Ends {
    NodeList roots;
    NodeList seeds;
  };
  Ends EndsOf(const Call& call);
  // Of the results of an op that computes.
  void LearnComputed(Opcode op, absl::Span<const ValueId> operands,
                     absl::Span<const ValueId> results);
  NodeIndex Record(Opcode op, absl::Span<const ValueId> operands, ValueId result, bool in_place);
  void LearnView(Opcode op, ValueId operand, ValueId result, const Attributes& attributes);

  const GeneratorOptions* options_;
  int narrowed_ = 0;
  std::optional<DType> forced_dtype_;
  std::bitset<twingrad::program::kNumOpcodes> uses_;
  Source& source_;
  Swarm swarm_;
  ProgramBuilder builder_;
  std::vector<Known> known_;
  Graph graph_;
  std::vector<std::pair<ValueId, NodeIndex>> saved_;  // storage, the node that saved it
  int budget_ = 12;
  int no_grad_depth_ = 0;
  int saved_hooks_depth_ = 0;
  bool rounding_ = false;
  bool has_acting_hooks_ = false;
  std::vector<ValueId> hidden_;
  Features drawn_;
};

}  // namespace twingrad::generators
