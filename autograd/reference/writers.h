// What stays of elements that are written to places one after another.

#pragma once

#include <cstdint>

#include "autograd/reference/arena.h"
#include "autograd/reference/index_map.h"

namespace twingrad::reference {

// Which of the elements stay, and where: of those written to one place the last. Places are below
// `count`.
struct Writers {
  IndexMap from;
  IndexMap to;
};
Writers LastWriters(Arena& arena, const IndexMap& places, int32_t count);

}  // namespace twingrad::reference
