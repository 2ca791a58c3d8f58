// Regions of a Program: what `begin kind=... end` can open, and where a region ends.
//
//   if (RegionKindOf(statement) == RegionKind::kTry) i = EndOfRegion(program, i);
//
// Pure functions of well-formed Programs (analyze.h).

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "autograd/base/words.h"
#include "autograd/program/program.h"

namespace twingrad::program {

enum class RegionKind : uint8_t {
  kNoGrad,            // nothing is recorded
  kThread,            // runs on its own thread, beside adjacent ones; an error ends it alone
  kTry,               // an error inside ends the region, not the run
  kAnomaly,           // a node that returns NaN is an error
  kSavedTensorHooks,  // what nodes save goes through hooks
};
inline constexpr int kNumRegionKinds = static_cast<int>(RegionKind::kSavedTensorHooks) + 1;

// The words of kind=, in the order of RegionKind, separated by blanks.
inline constexpr std::string_view kRegionKindWords =
    "no_grad thread try anomaly saved_tensor_hooks";

inline constexpr auto kRegionKindNames = SplitWords<kNumRegionKinds>(kRegionKindWords);

// The word of kind=, e.g. `no_grad`.
constexpr std::string_view RegionKindName(RegionKind kind) {
  return kRegionKindNames[static_cast<int>(kind)];
}

// What a `begin` statement opens.
RegionKind RegionKindOf(const Statement& begin);

// Whether the statement begins a region of this kind.
bool Begins(const Statement& statement, RegionKind kind);

// Whether the Program has thread sections.
bool HasSections(const Program& program);

// A thread section: its `begin` and its `end`.
struct Section {
  int32_t begin = -1;
  int32_t end = -1;
};

// The thread sections that run at the same time as the one that statement `begin` opens, the first
// of its group: those that follow one another with no statement between.
std::vector<Section> SectionsFrom(const Program& program, int32_t begin);

// The index of the `end` that closes the region which statement `begin` opens; the number of
// statements where none does.
int32_t EndOfRegion(const Program& program, int32_t begin);

}  // namespace twingrad::program
