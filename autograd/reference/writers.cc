#include "autograd/reference/writers.h"

#include <vector>

namespace twingrad::reference {

Writers LastWriters(Arena& arena, const IndexMap& places, int32_t count) {
  std::vector<int32_t> last(static_cast<size_t>(count), -1);
  for (int32_t i = 0; i < places.size; ++i) last[places[i]] = i;
  auto* from = arena.Allocate<int32_t>(places.size);
  auto* to = arena.Allocate<int32_t>(places.size);
  int32_t stay = 0;
  for (int32_t i = 0; i < places.size; ++i) {
    if (last[places[i]] != i) continue;
    from[stay] = i;
    to[stay++] = places[i];
  }
  return {{from, stay}, {to, stay}};
}

}  // namespace twingrad::reference
