// SectionGroup: what thread sections that run at the same time do to what they share.
//
// The twin runs the sections one after another, in the order of the Program. The group notes, for
// what existed before it, which section did what there; from that follows when all have ended what
// may depend on timing: the order of the sums in a `.grad`, and which of several calls that release
// one graph still finds it. What cannot be said is Skipped. One thread; lives as long as the group.

#pragma once

#include <cstdint>
#include <vector>

#include "autograd/reference/calculus.h"

namespace twingrad::reference {

class SectionGroup {
 public:
  // Nodes and values from `nodes` and `values` on are the sections' own. Sections are numbered over
  // the whole run, from `first_section` on.
  SectionGroup(NodeId nodes, int32_t values, int32_t first_section)
      : nodes_(nodes), values_(values), section_(first_section) {}

  void BeginSection() { ++section_; }
  bool IsShared(NodeId node) const;
  // Whether it is the new node of a view from before the sections.
  bool IsRegenerated(NodeId node) const;
  bool IsSharedValue(program::ValueId value) const { return value < values_; }

  // `node` is the accumulator of a leaf, which all sections share if they share the leaf.
  void NoteAccumulator(program::ValueId leaf, NodeId node) {
    if (IsSharedValue(leaf)) accumulators_.push_back(node);
  }

  // What the section at hand does; what is not shared is passed over.
  // A gradient goes to `.grad` of a value; `certain`: in this prediction, else it may.
  struct Addition {
    program::ValueId value;
    int32_t section;
    Variable gradient;
    bool certain;
    bool emptied = false;  // a hook made `.grad` undefined in the same step
  };
  void NoteAddition(program::ValueId value, const Variable& gradient, bool certain);
  // Of the section's addition before, which is its latest.
  void NoteEmptied(program::ValueId value);
  // A hook after accumulation, registered by `hook`, reads the leaf's `.grad` for this call.
  struct Read {
    program::ValueId leaf;
    int32_t section;
    int32_t call;
    int32_t hook;
    bool nested;        // in a call that a hook made
    int32_t additions;  // of the section to this `.grad` by then
  };
  void NoteRead(program::ValueId leaf, int32_t call, int32_t hook, bool nested);
  // A call needs what the node saved; releases it.
  void NoteNeed(NodeId node, int32_t call);
  void NoteRelease(NodeId node, int32_t call);
  // The call finds no graph whatever others do.
  void NoteFailsAnyway(int32_t call) { failing_.push_back(call); }
  // Whether another section alone has released what the node saved.
  bool IsReleasedBeside(NodeId node) const;
  void NoteEvaluated(NodeId node);
  // A view that keeps its gradient leaves this node for a new one.
  void NoteLeft(NodeId node);
  // Whether one section's call evaluates a node that such a view leaves in another.
  bool MissesRetained() const { return Meet(left_, evaluated_); }
  // The section adds this hook, by its index, to the node.
  void NoteHooked(NodeId node, int32_t hook);
  // Of a hook, by its index: the section removes it; it would fire if other sections let it.
  void NoteRemoved(int32_t hook);
  void NoteFired(int32_t hook);
  // Whether other sections alone have removed it.
  bool IsRemovedBeside(int32_t hook) const;
  void NoteEdge(program::ValueId view);
  // `node` is the view's new one, which all sections share.
  void NoteRegenerated(program::ValueId view, NodeId node);

  // The hooks, by index, of which timing decides whether they fire in calls of other sections, or
  // in which order among those of their node.
  std::vector<int32_t> UncertainHooks() const;
  // The views whose node one section makes anew and another uses, each once.
  std::vector<program::ValueId> ContestedViews() const;

  // --- When all have ended ---
  // The calls, by statement, that another section's call may leave without what they need.
  std::vector<int32_t> ContendedCalls() const;
  // Whether these calls may all be left without: on one thread each, one of those that release what
  // they need finds it all; but for those that fail anyway.
  bool MayAllFail(const std::vector<int32_t>& calls) const;
  // The values whose `.grad` was added to, each once.
  std::vector<program::ValueId> Added() const;
  // What was added to `.grad` of this value, in the order of the Program.
  std::vector<Addition> AdditionsTo(program::ValueId value) const;
  std::vector<Read> ReadsOf(program::ValueId leaf) const;

 private:
  struct Mark {
    int32_t what;  // a node or value
    int32_t section;
    int32_t call = -1;  // or hook
    bool operator==(const Mark&) const = default;
  };
  void NoteNode(std::vector<Mark>& marks, NodeId node, int32_t call = -1) const;
  void NoteValue(std::vector<Mark>& marks, program::ValueId value) const;
  // Whether one section is in `a` and another in `b` about one thing.
  static bool Meet(const std::vector<Mark>& a, const std::vector<Mark>& b);

  const NodeId nodes_;
  const int32_t values_;
  int32_t section_;
  std::vector<Addition> additions_;
  std::vector<Read> reads_;
  std::vector<Mark> needs_;
  std::vector<Mark> releases_;
  std::vector<Mark> evaluated_;
  std::vector<Mark> left_;
  std::vector<Mark> hooked_;
  std::vector<Mark> removed_;
  std::vector<Mark> fired_;
  std::vector<Mark> edges_;
  std::vector<Mark> regenerated_;
  std::vector<int32_t> failing_;           // calls
  std::vector<NodeId> regenerated_nodes_;  // of views from before the sections
  std::vector<NodeId> accumulators_;       // of leaves from before the sections
};

}  // namespace twingrad::reference
