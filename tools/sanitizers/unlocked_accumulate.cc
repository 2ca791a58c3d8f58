// Planted race: two tasks add to one leaf's gradient and only one of them takes its lock. TSan must
// report it.
#include <memory>
#include <mutex>
#include <thread>

namespace {

struct Accumulator {
  std::mutex mutex;
  double gradient = 0;
};

void AddLocked(Accumulator& leaf, double gradient) {
  const std::lock_guard<std::mutex> lock(leaf.mutex);
  leaf.gradient += gradient;
}

void Add(Accumulator& leaf, double gradient) {  // The lock that belongs here is the planted defect.
  leaf.gradient += gradient;
}

}  // namespace

int main() {
  const auto leaf = std::make_unique<Accumulator>();
  std::thread task([&] {
    for (int i = 0; i < 1000; ++i) AddLocked(*leaf, 1);
  });
  for (int i = 0; i < 1000; ++i) Add(*leaf, 1);
  task.join();
}
