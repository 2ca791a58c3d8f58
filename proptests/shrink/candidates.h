// Candidates enumerates, lazily, the smaller Programs that one edit makes of a Program.
//
// Large steps come first: cut off the end, drop runs of statements, drop what nothing uses; then
// bypass a node, turn a node into a leaf, substitute one value for another; finally shapes,
// attributes and data. Every candidate is valid and smaller in the order of size.h, so repeated
// shrinking terminates. Copyable; a copy continues from the original's position.

#pragma once

#include <optional>

#include "autograd/program/program.h"
#include "proptests/shrink/size.h"

namespace twingrad::shrink {

class Candidates {
 public:
  explicit Candidates(twingrad::program::Program program);

  // The next candidate, or nothing when there is no more.
  std::optional<twingrad::program::Program> Next();

 private:
  twingrad::program::Program program_;
  Size size_;
  int step_ = 0;      // which kind of edit
  int position_ = 0;  // which of its edits
};

}  // namespace twingrad::shrink
