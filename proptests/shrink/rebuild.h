// Builds a valid Program from the edited statements of another one.
//
// The shrinker edits a copy of the statements without regard to validity. The Rebuilder maps their
// values, drops statements that lost an operand, removes missing roots, seeds and inputs from
// calls, and retries an op that no longer fits without its attributes, or leaves it out. So every
// edit yields a valid Program.

#pragma once

#include <vector>

#include "autograd/program/builder.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/program.h"
#include "autograd/program/signature.h"

namespace twingrad::shrink {

using program::Attribute;
using program::Bits;
using program::Category;
using program::Key;
using program::kNoValue;
using program::Opcode;
using program::Program;
using program::ProgramBuilder;
using program::SignatureOf;
using program::Statement;
using program::TensorType;
using program::ValueId;

class Rebuilder {
 public:
  explicit Rebuilder(const Program& program) : map_(program.names.size(), kNoValue) {}

  // Adds a statement that refers to values of the old Program; results that this does not have are
  // kNoValue.
  void Add(const Statement& statement);

  // From here on, maps the old value to what the old value `by` maps to.
  void Substitute(ValueId value, ValueId by) { map_[value] = map_[by]; }
  // Leaves out a `begin` and its `end`.
  void Skip(const Statement& statement);
  // Adds all statements of the Program with that at `at` replaced.
  void AddAllBut(const Program& program, int at, const Statement& instead);

  const ProgramBuilder& builder() const { return builder_; }
  // The new value that an old value maps to so far.
  ValueId operator[](ValueId value) const { return map_[value]; }

  Program Take() { return builder_.Take(); }

 private:
  bool MapCall(Statement* statement, std::vector<int>* kept_results);
  bool MapValues(Statement* statement);
  void AddCall(const Statement& statement);
  bool AddFresh(const Statement& original, Statement* statement);
  void Retry(const Statement& original, Statement statement);

  ProgramBuilder builder_;
  std::vector<ValueId> map_;
  std::vector<bool> skipped_regions_;  // open `begin`s, true where left out
};

// How many statements there are.
inline int Count(const Program& program) { return static_cast<int>(program.statements.size()); }

// The Program with those statements for whose number `keep` holds.
template <typename Keep>
Program Filter(const Program& program, Keep keep) {
  Rebuilder rebuilder(program);
  for (int i = 0; i < Count(program); ++i) {
    if (keep(i)) {
      rebuilder.Add(program.statements[i]);
    } else {
      rebuilder.Skip(program.statements[i]);
    }
  }
  return rebuilder.Take();
}

// The Program with statement number `at` replaced.
inline Program Replace(const Program& program, int at, const Statement& instead) {
  Rebuilder rebuilder(program);
  rebuilder.AddAllBut(program, at, instead);
  return rebuilder.Take();
}

}  // namespace twingrad::shrink
