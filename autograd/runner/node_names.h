// Names nodes of the engine by the Program's statements, without holding any of them.
//
// A node's order key says when it was made: the runner notes the next key before each statement, so
// the statement of a node is found by its key. Accumulators have no key of their own; they are
// known by their leaf's slot, as the first who needs one makes it. Nodes of views made anew are
// noted when they appear. Names are right for nodes made on the thread that runs the Program, and
// for those that the engine made for its calls. A thread section has names of its own, whose nodes
// take keys from a range of its own; it also sees those of the thread that waits for it. One thread
// at a time.

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "autograd/graph/grad_slot.h"
#include "autograd/graph/node.h"
#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::runner {

class NodeNames {
 public:
  NodeNames() = default;
  // Of a thread section. `outer` changes only when the section has ended, and outlives this. From
  // `first_key` on are the keys of all sections of the group.
  explicit NodeNames(const NodeNames* outer, uint64_t first_key = UINT64_MAX)
      : outer_(outer), first_key_(first_key) {}

  // So many statements will run.
  void Expect(size_t statements) { starts_.reserve(statements); }

  // Takes over the names of a section that has ended.
  void Adopt(const NodeNames& section);

  // Statement `index` runs from now on.
  void BeginStatement(int32_t index, bool is_call);
  // `leaf` requires grad and is defined by the statement at hand.
  void NoteLeaf(const Tensor& leaf);
  // `value`, defined by statement `defined_at`, may be a view whose node was made anew by the
  // statement at hand, or by another section.
  // It is result `nr` of `results` of the statement `defined_at`.
  void NoteOperand(const Tensor& value, int32_t defined_at, int32_t nr = 0, int32_t results = 1);

  program::NodeName NameOf(const Node& node) const;

 private:
  struct Start {
    uint64_t key;
    int32_t statement;
    bool is_call;
  };
  struct Regenerated {
    uint64_t key;
    program::NodeName name;
  };

  // Null where this one does not know the node.
  const int32_t* LeafOf(const GradSlot* slot) const;
  const Regenerated* FindRegenerated(uint64_t key) const;
  int32_t TimesRegenerated(int32_t statement, int32_t nr, int32_t results) const;
  const Start* StartOf(uint64_t key) const;

  // Whether another section of the group took the key.
  bool IsOfAnotherSection(uint64_t key) const;

  const NodeNames* outer_ = nullptr;
  uint64_t first_key_ = UINT64_MAX;
  std::vector<Start> starts_;  // ascending keys
  absl::InlinedVector<std::pair<const GradSlot*, int32_t>, 8> leaves_;
  std::vector<Regenerated> regenerated_;
};

}  // namespace twingrad::runner
