// Builds a valid Program from statements of another one, whatever was taken out of them.
//
// The shrinker edits a copy of the statements carelessly; the Rebuilder maps their values, drops
// what lost an operand, takes missing roots, seeds and inputs out of calls, and tries an op without
// its attributes, or leaves it out, where it no longer fits. So every edit ends in a valid Program.

#ifndef PROPTESTS_SHRINK_REBUILD_H_
#define PROPTESTS_SHRINK_REBUILD_H_

#include <vector>

#include "autograd/program/builder.h"
#include "autograd/program/program.h"

namespace twingrad::shrink {

class Rebuilder {
 public:
  explicit Rebuilder(const twingrad::program::Program& program)
      : map_(program.names.size(), twingrad::program::kNoValue) {}

  // Adds the statement, whose values are those of the old Program.
  void Add(const twingrad::program::Statement& statement);

  // From here on the old value stands for what `by`, another old value, stands for.
  void Substitute(twingrad::program::ValueId value, twingrad::program::ValueId by) {
    map_[value] = map_[by];
  }
  // Leaves out a `begin`; its `end` goes as well.
  void Skip(const twingrad::program::Statement& statement);

  const twingrad::program::ProgramBuilder& builder() const { return builder_; }
  // What an old value stands for so far.
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

#endif  // PROPTESTS_SHRINK_REBUILD_H_
