// Planted race: a ready queue whose push forgets the lock that its pop takes. TSan must report it.
// A model of autograd/engine's queue in its shape: several producers, one consumer, a heap by order
// key.
#include <algorithm>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

class ReadyQueue {
 public:
  void Push(int key) {  // The lock that belongs here is the planted defect.
    heap_.push_back(key);
    std::push_heap(heap_.begin(), heap_.end());
  }

  bool TryPop(int* key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (heap_.empty()) return false;
    std::pop_heap(heap_.begin(), heap_.end());
    *key = heap_.back();
    heap_.pop_back();
    return true;
  }

 private:
  std::mutex mutex_;
  std::vector<int> heap_ = [] {
    std::vector<int> heap;
    heap.reserve(1024);  // No reallocation: the race is on the elements and the size alone.
    return heap;
  }();
};

}  // namespace

int main() {
  const auto queue = std::make_unique<ReadyQueue>();
  std::thread producer([&] {
    for (int key = 0; key < 200; ++key) queue->Push(key);
  });
  int key = 0;
  for (int i = 0; i < 200; ++i) queue->TryPop(&key);
  producer.join();
}
