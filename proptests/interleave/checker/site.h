// Site: what a thread is about to do, as a number that is the same in every process.
//
// Each decision carries the site at which it was made, so that a replay detects where it diverges.
// The column is included, so two operations on one line differ.
#pragma once

#include <cstdint>

#include "autograd/sync/model/scheduler.h"

namespace twingrad::interleave {

inline uint32_t SiteOf(twingrad::sync::model::ThreadId thread,
                       const twingrad::sync::model::Operation& operation) {
  const uint64_t place = uint64_t{operation.where.line()} << 32 |
                         uint64_t{operation.where.column()} << 16 |
                         static_cast<uint64_t>(operation.kind) << 8 | static_cast<uint64_t>(thread);
  const auto site = static_cast<uint32_t>((place * 0x9e3779b97f4a7c15u) >> 32);
  return site == 0 ? 1 : site;  // 0 stands for any
}

}  // namespace twingrad::interleave
