// The state of a twin's run and the meaning of every statement that is not a call of the engine.
//
// Tensors alias by storage and index map. Each keeps its place in the graph: leaves their
// accumulator, results their node, views a node that is regenerated after a write. Statements lower
// themselves to the primitives of calculus.h. Calls are in call.h. One thread.

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/program.h"
#include "autograd/reference/calculus.h"
#include "autograd/reference/sections.h"
#include "autograd/reference/twin.h"

namespace twingrad::reference {

// An error of the Program, raised by the statement that runs.
struct Raised {
  ErrorKind error;
};
// The twin cannot judge this Program.
struct Skipped {
  std::string reason;
};

struct Storage {
  const Array* content = nullptr;
  uint32_t version = 0;
};

// A value of the Program.
struct Tensor {
  bool defined = false;
  bool requires_grad = false;
  NodeId retained_at = kNoNode;  // which node keeps the gradient in .grad (retain_grad)
  DType dtype = DType::kF64;
  program::DeviceIndex device = program::kCpu;
  const Shape* shape = nullptr;
  const Shape* strides = nullptr;  // of a view; else row-major
  int32_t storage = -1;
  IndexMap map;                           // places in the storage
  const Array* sparse_indices = nullptr;  // of a sparse value
  int32_t statement = -1;
  NodeId node = kNoNode;         // that made it; of a leaf none
  NodeId accumulator = kNoNode;  // of a leaf, made when first needed
  // Of a differentiable view: what it shows of which base, and the version its node belongs to.
  program::ValueId base = program::kNoValue;
  IndexMap base_map;
  uint32_t view_version = 0;
  int32_t regenerated = 0;  // how often its node was regenerated
  bool viewed_in_no_grad = false;
  bool is_part = false;       // one of several results of a view statement, or a view of one
  bool grad_misfits = false;  // .grad was set in another layout, and nothing was added since
  Variable grad;
  bool grad_in_any_order = false;  // a sum whose bits depend on timing
  bool grad_is_uncertain = false;  // a failed call beside another may have added to it

  bool is_view() const { return base != program::kNoValue; }
  // Another `.grad`, or none, of which nothing more is to be said.
  void ReplaceGrad(Variable with) {
    grad = with;
    grad_misfits = grad_in_any_order = grad_is_uncertain = false;
  }
};

enum class HookAction : uint8_t {
  kRecord,
  kScale,
  kUndefined,
  kThrow,
  kMisfit,
  kRegister,
  kRemove,
  kBackward,
  kCallback,
  kWarn,
  kZeroGrad
};

// A region of saved-tensor hooks.
struct SavedHooks {
  HookAction action = HookAction::kRecord;
  Packing packing;  // without tensors
};

struct Hook {
  int32_t statement = -1;
  HookAction action = HookAction::kRecord;
  double by = 1;
  bool removed = false;
  program::ValueId target = program::kNoValue;  // of kRegister and kBackward
  std::string_view target_id = {};              // of kRemove
  NodeId node = kNoNode;                        // where it stands

  // Whether it changes what other hooks and calls do.
  bool Acts() const {
    return action == HookAction::kRegister || action == HookAction::kRemove ||
           action == HookAction::kBackward;
  }
};

// What is attached to a node; hooks by index into the run's list, in the order of registration.
struct NodeHooks {
  std::vector<int32_t> tensor;
  std::vector<int32_t> pre;
  std::vector<int32_t> post;
  std::vector<int32_t> accumulate;
  std::vector<program::ValueId> retained;
};

// What regions switch; the end of a region restores what was before.
struct Modes {
  bool grad_mode = true;
  bool anomaly = false;  // a node that returns NaN is an error
};

class Interpreter {
 public:
  Interpreter(const program::Program& program, const DialectRules& rules, bool any_order,
              TwinResult& result);

  // Runs the Program to its end or its error.
  void Run();

  // For calls.
  // Where gradients of the value go; a view whose base was written gets a new node first.
  NodeId GradientEdge(program::ValueId value);
  bool RequiresGrad(program::ValueId value) const;
  Variable Read(program::ValueId value);
  void RetainGrad(program::ValueId value);
  void DefineGradient(program::ValueId value, const Variable& gradient, program::ValueId input);
  // What a hook does to others.
  void RegisterRecording(program::ValueId target, int32_t statement);
  void RemoveHook(std::string_view id);
  // Hooks and nested calls act at a moment that timing decides, on views too; a new node for one
  // would have another name each time.
  void CheckFresh(program::ValueId target);
  bool has_acting_hooks() const { return has_acting_hooks_; }
  // Whether timing decides what such hooks do, where several devices are at work.
  bool hooks_are_racy() const { return has_acting_hooks_ && racy_; }
  bool any_order() const { return any_order_; }
  // The saved-tensor hooks in force; null where there are none.
  const SavedHooks* saved_hooks() const { return saved_hooks_; }
  bool InTry() const { return !try_regions_.empty(); }
  const Modes& modes() const { return modes_; }
  // Whether the node is a view's that a section made anew, so that timing may decide its order key.
  bool IsContested(NodeId node);
  // While thread sections run: what they do to what they share; else null.
  SectionGroup* group() { return group_.has_value() ? &*group_ : nullptr; }
  // Whether this prediction is of a run in which another section's call leaves the call without
  // what it needs.
  bool IsToFail(int32_t call) const;
  void CheckGradIsCertain(program::ValueId value) const;
  // A call that fails so may have added this to `.grad` before.
  void NoteUncertain(program::ValueId value, const Variable& gradient);
  // In the same step a hook would have made it undefined.
  void NoteUncertainIsEmptied(program::ValueId value);
  // After a failed call it may be this instead, or undefined.
  void NoteOtherGrad(program::ValueId value, const Variable& grad);
  void NoteSeveralDevices() { several_devices_at_work_ = true; }
  bool HasDevices() const {
    return std::any_of(tensors_.begin(), tensors_.end(),
                       [](const Tensor& t) { return t.device != program::kCpu; });
  }

  Arena& arena() { return arena_; }
  Calculus& calculus() { return calculus_; }
  Tensor& tensor(program::ValueId value) { return tensors_[value]; }
  const Storage& storage(int32_t index) const { return storages_[index]; }
  const Hook& hook(int32_t index) const { return *hooks_[index]; }
  NodeHooks* hooks_of(NodeId node);
  const DialectRules& rules() const { return rules_; }
  TwinResult& result() { return result_; }
  static Judged Bounds(const Array& array);

 private:
  struct Region {
    Modes modes_before;
    bool is_try;  // ends with an error inside: also a thread section
    bool is_section;
    int32_t end;  // statement
    const SavedHooks* saved_hooks_before;
  };

  // The operands as variables, with history when the statement records.
  struct Operands {
    Variable variable[8];
    const Shape* shape[8] = {};
    int count = 0;
    bool records = false;
  };

  void RunStatement(int32_t index);
  void Leaf(const program::Statement& statement);
  void Compute(const program::Statement& statement);
  void View(const program::Statement& statement);
  void Parts(const program::Statement& statement);
  // The view that a statement of one result makes, without a node.
  Tensor& DefineView(const program::Statement& view);
  bool IsUnrenewed(const Tensor& view) const;
  void Detach(const program::Statement& statement);
  void Custom(const program::Statement& statement);
  void CustomInPlace(const program::Statement& statement);
  void InPlace(const program::Statement& statement);
  void CheckInPlace(program::ValueId self, bool would_record);
  // Writes these elements to where the tensor has its own; a new version.
  Storage& Overwrite(const Tensor& tensor, const Array* elements);
  void CheckOverlap(const Tensor& self, const Tensor& other);
  Shape StridesOf(const Tensor& tensor) const;
  void Gradient(const program::Statement& statement);
  void ReadGrad(const program::Statement& statement);
  void SetGrad(const program::Statement& statement);
  // From now on hooks or custom functions act on others.
  void NoteActing();
  void AddHook(const program::Statement& statement);
  void Begin(const program::Statement& statement);
  void End();
  void BeginSection();
  void EndSection(int32_t end);
  void EndGroup();
  void SumAdditions(program::ValueId value, const std::vector<SectionGroup::Addition>& additions);
  void AddAlternative(program::ValueId value, const std::vector<const Array*>& terms);
  // What the section's hooks may have read of a `.grad` (interpreter_reads.cc).
  void NoteSharedReads(program::ValueId leaf, const std::vector<SectionGroup::Addition>& additions,
                       const std::vector<SectionGroup::Read>& reads);
  void SetSavedHooks(const SavedHooks* hooks);
  void BeginSavedHooks(const program::Statement& statement);
  // What hooks in force do if the statement's node saves something, before anything is changed.
  void RunPackHooks(const program::Statement& statement, absl::Span<const Step> steps,
                    bool also_saves);
  // Of a custom function: hooks that throw end it before its results have a history.
  void RunCustomPackHooks(const program::Statement& statement);
  void NoteCustomPacked(NodeId node, const CustomRule& rule);
  // Lists at the node what it has packed.
  void SetPacked(NodeId node, absl::Span<const Array* const> tensors);
  void NotePacked(NodeId node, const program::Statement& statement, const Operands& operands,
                  const Array* result);

  Operands TakeOperands(const program::Statement& statement, uint32_t differentiable);
  void DefineIndices(const program::Statement& statement, const Operands& operands);
  // What the statement computes, or the op that it performs in place.
  Variable Lower(const program::Statement& statement, const Operands& operands);

  // The value's tensor; an error of the Program where it is undefined.
  Tensor& Defined(program::ValueId value);
  Tensor& Define(program::ValueId value, DType dtype, program::DeviceIndex device,
                 const Shape* shape);
  Tensor& DefineFresh(program::ValueId value, const Array* content, program::DeviceIndex device);
  NodeId AddStatementNode(program::NodeRole role, absl::Span<const NodeId> edges,
                          absl::Span<const Step> steps, program::DeviceIndex device);
  absl::Span<const NodeId> EdgesOf(const Operands& operands, uint32_t differentiable);
  void SetSavedResult(absl::Span<Step> steps, int32_t storage);
  const Array* LikeBase(program::ValueId view);
  void RegenerateView(program::ValueId value);
  static bool LacksNode(const Tensor& tensor) { return tensor.is_view() && tensor.node == kNoNode; }
  void MoveRetained(program::ValueId value, NodeId to);
  NodeHooks& MakeHooks(NodeId node);
  void OrderCalls();
  bool ActsAmongMadeNodes(const Hook& hook, bool releases);
  void NoteUnorderedCalls();
  void Finish();

  const program::Program& program_;
  const DialectRules rules_;
  const bool any_order_;
  TwinResult& result_;
  Arena arena_;
  Calculus calculus_;
  std::vector<Tensor> tensors_;
  std::vector<Storage> storages_;
  std::vector<std::unique_ptr<Hook>> hooks_;  // which hooks that run may add to
  bool has_acting_hooks_ = false;
  bool racy_ = false;
  std::vector<std::pair<std::string_view, int32_t>> handles_;
  std::vector<std::unique_ptr<NodeHooks>> node_hooks_;
  std::vector<Region> regions_;
  std::vector<int32_t> try_regions_;  // indices into regions_
  const SavedHooks* saved_hooks_ = nullptr;
  Modes modes_;
  std::optional<SectionGroup> group_;
  int32_t sections_ = 0;  // so far
  // Of views that any of several sections may have made anew: timing decides their order keys.
  std::vector<program::NodeName> contested_nodes_;
  int32_t group_begin_ = -1;  // the statement
  std::vector<Variable> grads_before_group_;
  std::vector<GradAlternative> left_by_failures_;
  bool several_devices_at_work_ = false;
  int32_t statement_ = -1;
};

}  // namespace twingrad::reference
