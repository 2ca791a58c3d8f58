// StreamVisits: the work of a Program's streams that has touched one memory.
//
//   StreamVisits visits;
//   visits.Add({.statement = 3, .stream = a, .number = 1, .is_write = true, .is_certain = true});
//   visits.ForConflicts(/*is_write=*/false, [](const StreamVisit& visit) { ... });   // writes
//   alone
//
// Reads are many and conflict with writes alone, so the two are kept apart. One thread.

#pragma once

#include <cstdint>
#include <vector>

#include "autograd/reference/stream_clocks.h"

namespace twingrad::reference {

// The number of the work on its stream, and of the statement whose it is.
struct StreamVisit {
  int32_t statement;
  StreamClocks::Stream stream;
  uint32_t number;
  bool is_write;
  bool is_certain;  // that it happens, and to all of the memory
};

class StreamVisits {
 public:
  void Add(const StreamVisit& visit) { (visit.is_write ? writes_ : reads_).push_back(visit); }

  // Calls `on` with each visit that must be in order with a write, or else a read.
  template <typename Function>
  void ForConflicts(bool is_write, Function on) const {
    for (const StreamVisit& visit : writes_) on(visit);
    if (!is_write) return;
    for (const StreamVisit& visit : reads_) on(visit);
  }

 private:
  std::vector<StreamVisit> writes_;
  std::vector<StreamVisit> reads_;
};

}  // namespace twingrad::reference
