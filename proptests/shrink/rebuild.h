// Builds a valid Program from the edited statements of another one.
//
// The shrinker edits a copy of the statements without regard to validity. The Rebuilder maps their
// values, drops statements that lost an operand, removes missing roots, seeds and inputs from
// calls, and retries an op that no longer fits without its attributes, or leaves it out. So every
// edit yields a valid Program.

#pragma once

#include <vector>

#include "autograd/program/builder.h"
#include "autograd/program/program.h"

namespace twingrad::shrink {

class Rebuilder {
 public:
  explicit Rebuilder(const twingrad::program::Program& program)
      : map_(program.names.size(), twingrad::program::kNoValue) {}

  // Adds a statement that refers to values of the old Program.
  void Add(const twingrad::program::Statement& statement);

  // From here on, maps the old value to what the old value `by` maps to.
  void Substitute(twingrad::program::ValueId value, twingrad::program::ValueId by) {
    map_[value] = map_[by];
  }
  // Leaves out a `begin` and its `end`.
  void Skip(const twingrad::program::Statement& statement);

  const twingrad::program::ProgramBuilder& builder() const { return builder_; }
  // The new value that an old value maps to so far.
  twingrad::program::ValueId operator[](twingrad::program::ValueId value) const {
    return map_[value];
  }

  twingrad::program::Program Take() { return builder_.Take(); }

 private:
  bool MapCall(twingrad::program::Statement* statement, std::vector<int>* kept_results);
  bool MapValues(twingrad::program::Statement* statement);
  void AddCall(const twingrad::program::Statement& statement);
  void Retry(const twingrad::program::Statement& original, twingrad::program::Statement statement);

  twingrad::program::ProgramBuilder builder_;
  std::vector<twingrad::program::ValueId> map_;
  std::vector<bool> skipped_regions_;  // open `begin`s, true where left out
};

}  // namespace twingrad::shrink
