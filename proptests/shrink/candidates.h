// Candidates enumerates, lazily, the smaller Programs that one edit makes of a Program.
//
// Large steps come first: cut off the end, drop runs of statements, drop what nothing uses; then
// bypass a node, turn a node into a leaf, substitute one value for another; finally shapes,
// attributes and data. A Program of more than a thousand statements has only a hundred coarse ones.
// Every candidate is valid and smaller in the order of size.h, so repeated shrinking terminates.
// Copyable; a copy continues from the original's position.

#pragma once

#include <optional>

#include "autograd/program/program.h"
#include "proptests/shrink/size.h"

namespace twingrad::shrink {

// An edit of the sequence.
struct Place {
  int step = 0;      // which kind of edit
  int position = 0;  // which of its edits
};

class Candidates {
 public:
  // From an edit on; those before it are left out.
  explicit Candidates(twingrad::program::Program program, Place from = {});

  // The next candidate, or nothing when there is no more.
  std::optional<twingrad::program::Program> Next();

  // The edit that made the latest candidate, where the sequence of a large Program made from it had
  // best go on; the beginning for others.
  Place Resume() const;

 private:
  twingrad::program::Program program_;
  Size size_;
  Place at_;  // the next edit
};

}  // namespace twingrad::shrink
