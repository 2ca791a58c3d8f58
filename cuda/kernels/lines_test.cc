// What goes along lines, and windows, on CUDA give what they give on the host.
#include <cstdint>
#include <vector>

#include "autograd/tensor/kernels/greatest.h"
#include "autograd/tensor/kernels/rearrange.h"
#include "autograd/tensor/kernels/windows.h"
#include "cuda/kernels/test_operands.h"
#include "gtest/gtest.h"

namespace twingrad::cuda {
namespace {

using namespace twingrad::kernels;

using LinesOnCudaTest = KernelsOnCudaTest;

TEST_F(LinesOnCudaTest, Order) {
  for (const DType dtype : kNumbers) {
    for (const Tensor& a :
         {Strided(5, 7, dtype), Numbers({40, 33}, dtype), Numbers({1, 1}, dtype)}) {
      for (const int64_t dim : {0, 1}) {
        for (const bool flag : {false, true}) {
          const Sorted there = Sort(There(a), dim, flag), here = Sort(a, dim, flag);
          ExpectSame(there.values, here.values);
          ExpectSame(there.indices, here.indices);
          ExpectSame(ExtremeIndex(There(a), dim, flag), ExtremeIndex(a, dim, flag));
          ExpectSame(RunningExtremeIndex(There(a), dim, flag), RunningExtremeIndex(a, dim, flag));
        }
      }
    }
    const Tensor none = Numbers({3, 0}, dtype);
    ExpectSame(Sort(There(none), 1, false).values, none);
  }
  const Tensor odd = Tensor::FromData<double>({4}, {1, NAN, 0, NAN});
  ExpectSame(Sort(There(odd), 0, true).indices, Sort(odd, 0, true).indices);
  ExpectSame(ExtremeIndex(There(odd), 0, true), ExtremeIndex(odd, 0, true));
  ExpectSame(RunningExtremeIndex(There(odd), 0, true), RunningExtremeIndex(odd, 0, true));
}

TEST_F(LinesOnCudaTest, RunningSumsAndProducts) {
  for (const DType dtype : kNumbers) {
    const Tensor a = Strided(3, 5, dtype), g = Numbers({3, 5}, dtype);
    for (const int64_t dim : {0, 1}) {
      ExpectSame(Cumsum(There(a), dim, false), Cumsum(a, dim, false));
      ExpectSame(Cumsum(There(a), dim, true), Cumsum(a, dim, true));
      ExpectSame(Cumprod(There(a), dim), Cumprod(a, dim));
      ExpectSame(CumprodGradient(There(g), There(a), dim), CumprodGradient(g, a, dim));
    }
    ExpectSame(ProductOfOthers(There(a)), ProductOfOthers(a));
  }
  for (const DType dtype : kFloats) {
    const Tensor a = Strided(3, 5, dtype), x = Numbers({3, 5}, dtype);
    ExpectSame(Logcumsumexp(There(a), 1), Logcumsumexp(a, 1), 4);
    for (const bool up : {false, true}) {
      ExpectSame(DampedSum(There(x), There(a), 1, up), DampedSum(x, a, 1, up), 4);
    }
  }
}

TEST_F(LinesOnCudaTest, WindowsTakeEntriesAndGiveThemBack) {
  const Line padded = BoxLine(5, {.kernel = 3, .padding = 1}), plain = BoxLine(4, {.kernel = 2});
  const Line apart = BoxLine(7, {.kernel = 2, .stride = 3, .padding = 1, .dilation = 2});
  const Line portions = PortionLine(5, 3), nearest = NearestLine(4, 6);
  for (const Windows& windows :
       {Windows{padded, plain}, Windows{apart}, Windows{apart, padded, plain},
        Windows{portions, nearest}, Windows{portions, plain}}) {
    std::vector<int64_t> sizes = {2};
    for (const Line& line : windows) sizes.push_back(line.size);
    for (const DType dtype : kFloats) {
      const Tensor a = Numbers(sizes, dtype);
      const Tensor columns = Unfold(a, windows);
      ExpectSame(Unfold(There(a), windows), columns);
      ExpectSame(Fold(There(columns), windows, a.sizes()), Fold(columns, windows, a.sizes()));
      const GreatestEntries there = Greatest(There(a), windows), here = Greatest(a, windows);
      ExpectSame(there.index, here.index);
      ExpectSame(there.values, here.values);
      ExpectSame(WeightsOf(windows, There(a)), WeightsOf(windows, a));
      ExpectSame(NumbersOfEntries(windows, There(a)), NumbersOfEntries(windows, a));
    }
  }
}

}  // namespace
}  // namespace twingrad::cuda
