// Two producers and a ready queue whose push was robbed of its lock (unlocked_push.patch). TSan
// must report it.
#include <cstdint>
#include <memory>
#include <thread>

#include "autograd/engine/ready_queue.h"
#include "proptests/mutants/planted.h"

int main() {
  if (!twingrad::mutants::CheckPlanted("unlocked_push")) return 2;
  const auto queue = std::make_unique<twingrad::ReadyQueue>();
  const auto push = [&] {
    for (uint64_t key = 0; key < 200; ++key) queue->Push({nullptr, 0, key});
  };
  std::thread other(push);
  push();
  other.join();
}
