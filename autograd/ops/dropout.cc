#include "autograd/ops/dropout.h"

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/recording.h"
#include "autograd/random/philox.h"
#include "autograd/tensor/kernels/kernels.h"

namespace twingrad::ops {
namespace {

template <typename T>
void Fill(T* factors, int64_t count, double by, uint64_t seed) {
  const T kept = CastNumber<T>(1 / (1 - by)), none = CastNumber<T>(0.0);
  const double limit = by * 0x1p32;
  const PhiloxKey key = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  PhiloxBlock words{};
  for (int64_t i = 0; i < count; ++i) {
    if (i % 4 == 0) {
      const auto block = static_cast<uint64_t>(i) / 4;
      words = Philox({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), 0, 0}, key);
    }
    factors[i] = words[static_cast<size_t>(i % 4)] < limit ? none : kept;
  }
}

// By which the elements of `like` are multiplied.
Tensor Factors(const Tensor& like, double by, uint64_t seed) {
  Tensor factors = Tensor::Empty(like.sizes(), like.dtype(), kernels::HostSide(like.device()));
  DispatchAll(like.dtype(),
              [&]<class T>(T) { Fill(factors.mutable_data<T>(), factors.numel(), by, seed); });
  return kernels::MovedTo(factors, like.device());
}

}  // namespace

Tensor Dropout(const Tensor& a, double by, uint64_t seed) {
  CheckDefined("dropout", a);
  if (!(by >= 0 && by < 1)) {
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[dropout] probability ", by, "; it is from 0 to less than 1"));
  }
  if (!IsFloating(a.dtype())) {
    throw Error(ErrorKind::kDType,
                absl::StrCat("[dropout] of ", DTypeName(a.dtype()), "; it takes floats: cast it"));
  }
  Tensor result = kernels::Mul(a, Factors(a, by, seed));
  if (ShouldRecord(a)) {
    Record("DropoutBackward", result, a,
           [by, seed](const Tensor& g) { return Mul(g, Factors(g, by, seed)); });
  }
  return result;
}

}  // namespace twingrad::ops
