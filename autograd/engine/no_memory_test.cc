// Lack of memory at any point of a run on several threads: the caller gets std::bad_alloc, or a
// device's error, nobody waits for ever, and the engine goes on. Replaces the allocator of this
// test program by one that can be told to fail.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/base/error.h"
#include "autograd/engine/engine.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/sync/atomic.h"

namespace {

// Allocations of all threads until one fails; negative: none does.
constinit twingrad::sync::Atomic<int64_t> until_failure{-1};

void* Allocate(size_t bytes, size_t alignment) {
  if (until_failure.Load(twingrad::sync::kRelaxed) >= 0 &&
      until_failure.FetchSub(1, twingrad::sync::kRelaxed) == 0) {
    throw std::bad_alloc();
  }
  const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* block = alignment <= alignof(std::max_align_t) ? std::malloc(bytes)
                                                       : std::aligned_alloc(alignment, rounded);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

// Apart, so that no compiler pairs it with an operator new that it has inlined.
[[gnu::noinline]] void Free(void* block) { std::free(block); }

}  // namespace

void* operator new(size_t bytes) { return Allocate(bytes, 1); }
void* operator new[](size_t bytes) { return Allocate(bytes, 1); }
void* operator new(size_t bytes, std::align_val_t alignment) {
  return Allocate(bytes, static_cast<size_t>(alignment));
}
void* operator new[](size_t bytes, std::align_val_t alignment) {
  return Allocate(bytes, static_cast<size_t>(alignment));
}
void operator delete(void* block) noexcept { Free(block); }
void operator delete[](void* block) noexcept { Free(block); }
void operator delete(void* block, size_t) noexcept { Free(block); }
void operator delete[](void* block, size_t) noexcept { Free(block); }
void operator delete(void* block, std::align_val_t) noexcept { Free(block); }
void operator delete[](void* block, std::align_val_t) noexcept { Free(block); }
void operator delete(void* block, size_t, std::align_val_t) noexcept { Free(block); }
void operator delete[](void* block, size_t, std::align_val_t) noexcept { Free(block); }

namespace twingrad {
namespace {

// A node of five inputs on one device, so that its gradients need memory of their own, fed by nodes
// of another device.
struct WideGraph {
  int reached = 0;
  NodePtr end = MakeEnd([this](const VariableList&) { ++reached; });
  NodePtr root;
  WideGraph() {
    const Tensor there = Tensor::Scalar(0, DType::kF64, Device::Sim(0));
    for (int i = 0; i < 4; ++i) end->AddInput(there);
    std::vector<Edge> lanes;
    for (uint32_t i = 0; i < 5; ++i) {
      lanes.emplace_back(MakePass({Edge(end, i)}, Tensor::Scalar(0, DType::kF64, Device::Sim(1))),
                         0);
    }
    root = MakePass(lanes);
  }
};

// Rules: F4.
TEST(NoMemoryTest, LackOfMemoryAnywhereInARunIsAnErrorOfTheCall) {
  int failures = 0;
  int64_t first_success = 0;
  for (int64_t n = 0; first_success == 0 || n < first_success + 3; ++n) {
    ASSERT_LT(n, 3000) << "it never succeeds";
    WideGraph graph;
    const Tensor seed = Tensor::Scalar(1);
    const std::vector<Edge> roots = {Edge(graph.root, 0)};
    Engine engine({.device_threads = 2});
    bool failed = false;
    until_failure.Store(n, sync::kRelaxed);
    try {
      engine.Execute(roots, {&seed, 1}, /*keep_graph=*/true, /*create_graph=*/n % 2 == 0, true);
    } catch (const std::bad_alloc&) {
      failed = true;
    } catch (const Error& error) {  // of a simulated device, whose memory is the host's
      EXPECT_EQ(error.kind(), ErrorKind::kDevice) << error.what();
      failed = true;
    }
    until_failure.Store(-1, sync::kRelaxed);
    failures += failed ? 1 : 0;
    if (!failed && first_success == 0 && n > 100) first_success = n;
    if (!failed) {
      EXPECT_EQ(graph.reached, 1) << n;
    }
    graph.reached = 0;
    engine.Execute(roots, {&seed, 1}, true, false, true);
    EXPECT_EQ(graph.reached, 1) << "after failure " << n;
  }
  std::printf("%d of the first allocations fail the call\n", failures);
  EXPECT_GT(failures, 10);
}

}  // namespace
}  // namespace twingrad
