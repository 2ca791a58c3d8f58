// Graphs that operations record, on tensors so small that the arithmetic costs nothing.
//
// E names an engine: E::Tensor; E::Leaf(sizes), of f64 ones, which requires grad; E::Mul,
// E::AddInPlace, E::Transpose; E::Backward(y, keep_graph); E::Grad(y, x, create_graph), one
// gradient; E::HookThatDoesNothing(y), on the tensor.

#pragma once

#include <cstdint>
#include <thread>
#include <vector>

#include "tools/bench/contestant.h"

namespace twingrad::bench {

template <typename E>
class Recorded {
 public:
  static void AddTo(CaseTable& cases) {
    cases["scalars"] = Scalars;
    cases["hooks"] = Hooks;
    cases["half"] = Half;
    cases["second-order"] = SecondOrder;
    cases["views"] = Views;
    cases["in-place"] = InPlace;
    cases["bytes"] = Bytes;
    cases["callers-1"] = [](int64_t n) { return Callers(n, 1); };
    cases["callers-2"] = [](int64_t n) { return Callers(n, 2); };
  }

 private:
  using Tensor = typename E::Tensor;

  // y = y * w, n times.
  static Tensor Product(int64_t n, Tensor y, const Tensor& w) {
    for (int64_t i = 0; i < n; ++i) y = E::Mul(y, w);
    return y;
  }

  static Figures Scalars(int64_t n) {
    const Tensor w = E::Leaf({});
    Tensor y = E::Leaf({});
    const double forward = TimeNs([&] { y = Product(n, y, w); });
    return {{"forward", forward}, {"backward", TimeNs([&] { E::Backward(y); })}};
  }

  // A tensor hook on each product.
  static Figures Hooks(int64_t n) {
    const Tensor w = E::Leaf({});
    Tensor y = E::Leaf({});
    for (int64_t i = 0; i < n; ++i) {
      y = E::Mul(y, w);
      E::HookThatDoesNothing(y);
    }
    return {{"backward", TimeNs([&] { E::Backward(y); })}};
  }

  // The gradient of one of two chains of n / 2: the other half is not needed.
  static Figures Half(int64_t n) {
    const Tensor a = E::Leaf({}), b = E::Leaf({});
    const Tensor y = E::Mul(Product(n / 2, a, a), Product(n / 2, b, b));
    return {{"backward", TimeNs([&] { E::Grad(y, a, /*create_graph=*/false); })}};
  }

  // The first gradient, with its graph, then that one's.
  static Figures SecondOrder(int64_t n) {
    const Tensor w = E::Leaf({}), x = E::Leaf({});
    const Tensor y = Product(n, x, w);
    Tensor g;
    const double first = TimeNs([&] { g = E::Grad(y, w, /*create_graph=*/true); });
    return {{"first", first}, {"second", TimeNs([&] { E::Grad(g, w, /*create_graph=*/false); })}};
  }

  // y = transpose(y), n times.
  static Figures Views(int64_t n) {
    Tensor y = E::Mul(E::Leaf({1, 1}), E::Leaf({1, 1}));
    const double forward = TimeNs([&] {
      for (int64_t i = 0; i < n; ++i) y = E::Transpose(y);
    });
    return {{"forward", forward}, {"backward", TimeNs([&] { E::Backward(y); })}};
  }

  // y += w, n times.
  static Figures InPlace(int64_t n) {
    const Tensor w = E::Leaf({});
    Tensor y = E::Mul(w, w);
    const double forward = TimeNs([&] {
      for (int64_t i = 0; i < n; ++i) E::AddInPlace(y, w);
    });
    return {{"forward", forward}, {"backward", TimeNs([&] { E::Backward(y); })}};
  }

  // What n products occupy. Asked of a fresh process, which has no memory to use again.
  static Figures Bytes(int64_t n) {
    const Tensor w = E::Leaf({});
    Tensor y = E::Mul(w, w);
    const int64_t before = ResidentBytes();
    y = Product(n, y, w);
    return {{"bytes", static_cast<double>(ResidentBytes() - before)}};
  }

  // Each of `callers` threads runs backward over one graph, ten times.
  static Figures Callers(int64_t n, int callers) {
    const Tensor w = E::Leaf({});
    const Tensor y = Product(n, E::Leaf({}), w);
    const auto call = [&] {
      for (int i = 0; i < 10; ++i) E::Backward(y, /*keep_graph=*/true);
    };
    call();
    return {{"wall", TimeNs([&] {
               std::vector<std::thread> threads;
               for (int i = 1; i < callers; ++i) threads.emplace_back(call);
               call();
               for (std::thread& thread : threads) thread.join();
             })}};
  }
};

}  // namespace twingrad::bench
