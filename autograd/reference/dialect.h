// Which engine's rules the twin follows where engines of this kind differ.
//
// There is one switch per rule, named after what it does; a dialect sets all of them. The tables in
// README.md list the switches and the defects, and dialect_test and defects_test show what each one
// changes. Plain values.

#pragma once

#include <cstdint>
#include <string_view>

namespace twingrad::reference {

// PyTorch from 2.0 on, and before it.
enum class Dialect : uint8_t { kTwingrad, kPytorch, kPytorch1 };

// What releases of PyTorch do against mathematics or their own documentation. No dialect sets one:
// the twin follows a defect only to tell whether what an engine showed is that defect and no other.
struct Defects {
  // A captured gradient has not passed the tensor hooks where its node is executed (D11).
  bool captures_miss_hooks = false;
  // A write through a view leaves retain_grad of the base at the node of before (H6).
  bool view_writes_leave_retain_grad = false;
  // A view that has no node yet counts as a leaf: nothing is written into it, retain_grad does
  // nothing (L2).
  bool views_without_node_are_leaves = false;
  // The gradient that the new node of an empty view passes to the base has no history (L5).
  bool empty_views_lose_history = false;

  bool operator==(const Defects&) const = default;
};

struct DefectRow {
  std::string_view name;
  bool Defects::*follows;
};
inline constexpr DefectRow kDefects[] = {
    {"captures_miss_hooks", &Defects::captures_miss_hooks},
    {"view_writes_leave_retain_grad", &Defects::view_writes_leave_retain_grad},
    {"views_without_node_are_leaves", &Defects::views_without_node_are_leaves},
    {"empty_views_lose_history", &Defects::empty_views_lose_history},
};

struct DialectRules {
  // Where a gradient is only captured, hooks and retain_grad act on it (H2).
  bool captures_run_hooks = true;
  // A root's hooks and retain_grad act also where no input lies below it (H2).
  bool roots_run_hooks = false;
  // A seed of another element type is an error; else it is converted (A3).
  bool seeds_have_the_type_of_roots = true;
  // Hooks on nodes that create_graph made fire in the order of the rules, as these nodes run; else
  // their order is each engine's own (N5).
  bool orders_backward_nodes = true;
  // Node pre-hooks act before the gradient is retained; else after (H).
  bool pre_hooks_before_retain_grad = true;
  // A view gets its new node when it is written through, and what was saved of it leads there; else
  // when the node is next requested (L3).
  bool written_views_are_renewed = false;
  // A view made in no_grad gets a new node like any other; else requesting that node is an error,
  // and comes before an error of versions where the view was saved (L6).
  bool no_grad_views_are_renewed = true;
  // A view that is one of several results of its statement may be written, and gets a new node like
  // any other; else both are errors (L6).
  bool parts_are_renewed = true;
  // retain_grad of a value that keeps its gradient already requests its node, as the first did;
  // else it does nothing.
  bool retaining_again_requests_nodes = true;
  // A view gets its new node even if the requesting statement then fails; else a failed statement
  // has no effect (L3).
  bool failed_statements_renew_views = false;
  // A view requires grad as soon as its base does, even if no node leads there; else when it has a
  // node or its base was written (L7).
  bool views_require_grad_with_base = false;
  // All seeds are looked at before any root's graph; else root by root.
  bool seeds_come_first = false;
  // Nodes save only what their derivatives need; else gather, cummax and cummin also save their
  // operand, sgn its operand and result, prod and pow their result, lerp its weight and addcdiv its
  // divisor.
  bool saves_what_is_needed = true;
  // Whose derivative needs only the size of its operand saves the operand: the mean of chosen
  // dimensions, embedding.
  bool operands_are_saved_for_their_sizes = false;
  // einsum saves what it sums of an operand before it multiplies; else the operand.
  bool sums_are_saved = false;
  // Without retain_graph, the node of a write through a view runs only once, whatever it saves
  // (L4).
  bool view_writes_are_freed = false;
  // What copy_ and zero_ overwrite gets a gradient of zeros; else none.
  bool overwritten_gets_zeros = false;
  // The operand that is written may overlap the other operand in memory other than element by
  // element.
  bool operands_may_overlap = true;
  // The derivatives of relu, abs, hardtanh and its like, pad_reflect and pad_replicate depend on
  // the value, with a derivative of zero.
  bool signs_have_history = false;
  // The second derivative of square depends on the value, with a derivative of zero.
  bool squares_have_history = false;
  // clamp's derivative at its limits is 0; else 1.
  bool clamp_is_flat_at_limits = true;
  // A mean's gradient is divided after it was repeated, by a number that is not saved.
  bool divides_late = false;
  // What gradients compute with and no tensor of the Program holds is saved: the number by which a
  // hook or custom function scales, the weights of an interpolation, where pow takes its base.
  bool factors_are_saved = true;
  Defects defects;
};

constexpr DialectRules RulesOf(Dialect dialect) {
  if (dialect == Dialect::kTwingrad) return {};
  const bool before_2 = dialect == Dialect::kPytorch1;
  return {.captures_run_hooks = !before_2,
          .roots_run_hooks = !before_2,
          .seeds_have_the_type_of_roots = false,
          .orders_backward_nodes = false,
          .pre_hooks_before_retain_grad = false,
          .written_views_are_renewed = true,
          .no_grad_views_are_renewed = false,
          .parts_are_renewed = false,
          .retaining_again_requests_nodes = before_2,
          .failed_statements_renew_views = true,
          .views_require_grad_with_base = true,
          .seeds_come_first = true,
          .saves_what_is_needed = false,
          .operands_are_saved_for_their_sizes = before_2,
          .sums_are_saved = true,
          .view_writes_are_freed = true,
          .overwritten_gets_zeros = true,
          .operands_may_overlap = false,
          .signs_have_history = true,
          .squares_have_history = true,
          .clamp_is_flat_at_limits = !before_2,
          .divides_late = true,
          .factors_are_saved = false,
          .defects = {}};
}

}  // namespace twingrad::reference
