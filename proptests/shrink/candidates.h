// The smaller Programs next to a Program, one after another and only when asked for.
//
// Large steps come first: cut the end off, drop runs of statements, drop what nothing uses; then
// bypass a node, turn a node into a leaf, let one value stand for another; at last shapes,
// attributes and data. Every candidate is valid and smaller in the sense of size.h, so that taking
// any of them again and again ends. Copyable; a copy goes on from where the original stands.

#ifndef PROPTESTS_SHRINK_CANDIDATES_H_
#define PROPTESTS_SHRINK_CANDIDATES_H_

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

#endif  // PROPTESTS_SHRINK_CANDIDATES_H_
