// Graphs of 100,000 nodes and more, under sanitizers of a quarter: gradients in closed form, on the
// caller's thread and on devices, and destruction on a small stack. `oracle check` judges such
// Programs only now and then; these are built through the C++ interface.
//
// A graph is a sequence of random blocks, each of which maps a scalar u to u or -u: long chains,
// wide fans whose terms cancel but for one, and ladders, on one device or another. All numbers are
// small integers or halves, so that results are exact.

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "absl/base/config.h"
#include "absl/strings/str_cat.h"
#include "autograd/base/device.h"
#include "autograd/engine/engine.h"
#include "autograd/engine/front_end.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/variable.h"
#include "autograd/ops/ops.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {
namespace {

#if defined(ABSL_HAVE_ADDRESS_SANITIZER) || defined(ABSL_HAVE_THREAD_SANITIZER)
constexpr int kNodes = 25'000;  // whose frames would be larger
#else
constexpr int kNodes = 100'000;
#endif
constexpr int kDevices = 2;
// Far less than a frame for each node.
constexpr size_t kStackBytes = size_t{1} << 20;

class Source {
 public:
  explicit Source(uint64_t seed) : engine_(seed) {}
  // In [0, n).
  uint64_t Below(uint64_t n) { return engine_() % n; }
  // In [low, high].
  int Between(int low, int high) {
    return low + static_cast<int>(Below(static_cast<uint64_t>(high - low + 1)));
  }

 private:
  std::mt19937_64 engine_;
};

// Runs `body` on a thread with a small stack.
void OnASmallStack(std::function<void()> body) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kStackBytes), 0);
  pthread_t thread = {};
  const auto run = [](void* given) -> void* {
    (*static_cast<std::function<void()>*>(given))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &body), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
}

Tensor Leaf(double value) {
  Tensor leaf = Tensor::Scalar(value, DType::kF64);
  SetRequiresGrad(leaf, true);
  return leaf;
}

// The value under construction, the derivative so far, and the number of nodes.
class BigGraph {
 public:
  BigGraph(Source& source, const Tensor& leaf) : source_(source), u_(leaf) {}

  void Add(bool devices) {
    if (devices) MoveTo(Device::Sim(static_cast<uint8_t>(source_.Below(kDevices))));
    // From a handful of nodes to a graph of its own.
    const int length = 1 << source_.Between(2, 16);
    switch (source_.Below(3)) {
      case 0:
        return Chain(length);
      case 1:
        return Fan(length / 2);
      default:
        return Ladder(length / 6);
    }
  }
  void MoveTo(Device device) {
    u_ = ops::To(u_, device);
    ++nodes_;
  }

  const Tensor& value() const { return u_; }
  double slope() const { return slope_; }
  int nodes() const { return nodes_; }

 private:
  Tensor Constant(double value) const { return Tensor::Scalar(value, DType::kF64, u_.device()); }

  void Chain(int length) {
    const Tensor one = Constant(1);
    for (int i = 0; i < length; ++i) {
      switch (source_.Below(4)) {
        case 0:
          u_ = ops::Neg(u_);
          slope_ = -slope_;
          break;
        case 1:
          u_ = ops::Mul(u_, one);
          break;
        case 2:
          u_ = ops::Clone(u_);
          break;
        default:
          u_ = ops::View(u_, u_.sizes().empty() ? std::vector<int64_t>{1} : std::vector<int64_t>{});
      }
    }
    nodes_ += length;
  }

  // One term, and pairs of terms that cancel, summed in a random order.
  void Fan(int width) {
    std::vector<Tensor> terms = {u_};
    for (int i = 0; i + 1 < width; i += 2) {
      const Tensor factor = Constant(source_.Between(-3, 3));
      terms.push_back(ops::Mul(u_, factor));
      terms.push_back(ops::Neg(terms.back()));
      nodes_ += 2;
    }
    while (terms.size() > 1) {
      const size_t i = source_.Below(terms.size() - 1);
      const Tensor last = std::move(terms.back());
      terms.pop_back();
      terms[i] = ops::Add(terms[i], last);
      ++nodes_;
    }
    u_ = terms[0];
  }

  // (a, b) becomes (a + b, a - b) twice, which doubles both, and half of that: all nodes have two
  // uses, so there are as many paths as 2 to the length.
  void Ladder(int length) {
    const Tensor half = Constant(0.5);
    Tensor a = u_;
    Tensor b = ops::Neg(u_);
    for (int i = 0; i < length; ++i) {
      for (int step = 0; step < 2; ++step) {
        const Tensor sum = ops::Add(a, b);
        b = ops::Sub(a, b);
        a = sum;
      }
      a = ops::Mul(a, half);
      b = ops::Mul(b, half);
    }
    u_ = source_.Below(2) == 0 ? a : b;
    if (u_.impl() == b.impl()) slope_ = -slope_;
    nodes_ += 1 + 6 * length;
  }

  Source& source_;
  Tensor u_;
  double slope_ = 1;
  int nodes_ = 0;
};

BigGraph Build(Source& source, const Tensor& leaf, bool devices) {
  BigGraph graph(source, leaf);
  while (graph.nodes() < kNodes) graph.Add(devices);
  if (devices) graph.MoveTo(Device::Cpu());
  return graph;
}

class BigGraphsTest : public ::testing::TestWithParam<int> {};

// Law: the gradient of the graph is its slope, and accumulates; twice over one graph.
TEST_P(BigGraphsTest, GradientsAreTheSlope) {
  OnASmallStack([] {
    Engine engine({.device_threads = GetParam()});
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      Source source(seed);
      const Tensor x = Leaf(3);
      const BigGraph graph = Build(source, x, /*devices=*/true);
      ASSERT_EQ(graph.value().item<double>(), 3 * graph.slope()) << "seed " << seed;
      Backward({graph.value()}, {}, {.retain_graph = true, .engine = &engine});
      ASSERT_EQ(GradOf(x).item<double>(), graph.slope()) << "seed " << seed;
      Backward({graph.value()}, {}, {.engine = &engine});
      ASSERT_EQ(GradOf(x).item<double>(), 2 * graph.slope()) << "seed " << seed;
    }
  });
}

// Law: of u * u with u = s x, s being 1 or -1, the derivatives are 2 x and 2; the graph of the
// first is as large as that of u.
TEST_P(BigGraphsTest, TheGraphOfTheGradientHasADerivativeToo) {
  OnASmallStack([] {
    Engine engine({.device_threads = GetParam()});
    for (uint64_t seed = 1; seed <= 2; ++seed) {
      Source source(seed);
      const Tensor x = Leaf(3);
      Tensor square;
      {
        const BigGraph graph = Build(source, x, /*devices=*/seed % 2 == 0);
        square = ops::Mul(graph.value(), graph.value());
      }
      const Tensor first = Grad({square}, {x}, {}, {.create_graph = true, .engine = &engine})[0];
      ASSERT_EQ(first.item<double>(), 6) << "seed " << seed;
      const Tensor second = Grad({first}, {x}, {}, {.engine = &engine})[0];
      ASSERT_EQ(second.item<double>(), 2) << "seed " << seed;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(DeviceThreads, BigGraphsTest, ::testing::Values(0, kDevices),
                         [](const auto& threads) { return absl::StrCat(threads.param); });

// Graphs that never ran, that ran in part, and whose last owner is a hook of another graph.
TEST(BigGraphsDestructionTest, TakesNoStackForEachNode) {
  OnASmallStack([] {
    Engine engine;
    Source source(7);
    const Tensor x = Leaf(3);
    { const BigGraph never_run = Build(source, x, /*devices=*/false); }
    {
      const BigGraph failed = Build(source, x, /*devices=*/false);
      const Tensor sum = ops::Add(failed.value(), ops::Neg(failed.value()));
      RegisterHook(failed.value(),
                   [](const Tensor&) -> Tensor { throw std::runtime_error("planned"); });
      EXPECT_ANY_THROW(Backward({sum}, {}, {.engine = &engine}));
    }
    {
      const Tensor owner = ops::Neg(x);
      const BigGraph owned = Build(source, x, /*devices=*/false);
      RegisterHook(owner, [kept = owned.value()](const Tensor& g) { return g; });
    }
    EXPECT_FALSE(GradOf(x).defined());
  });
}

}  // namespace
}  // namespace twingrad
