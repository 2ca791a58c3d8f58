#include "cuda/kernels/products.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/device/stream.h"
#include "autograd/sync/mutex.h"
#include "cuda/blas.h"
#include "cuda/current_device.h"
#include "cuda/kernels/product_shape.h"
#include "cuda/kernels/scratch.h"
#include "cuda/native_stream.h"
#include "cuda/status.h"

namespace twingrad::cuda {
namespace {

void ThrowIfBlasFailed(BlasStatus status, const std::string& what) {
  if (status == kBlasSuccess) return;
  ThrowIfFailed(cudaGetLastError(), what);  // which says more
  throw Error(ErrorKind::kDevice,
              absl::StrCat("[cuda] ", what, " failed: cuBLAS status ", static_cast<int>(status),
                           "; it must succeed; ",
                           status == kBlasAllocFailed ? "free tensors or use smaller ones"
                                                      : "start the process anew"));
}

// The contexts of cuBLAS, one a device; each is used under the lock.
class Contexts {
 public:
  // Queues one product.
  template <class T>
  void Multiply(const Blas& blas, const std::string& what, const ProductShape& shape, const T* a,
                const T* b, T* out, void* workspace, size_t workspace_bytes, Stream stream,
                cudaStream_t native) {
    const T one(1), zero(0);
    const auto operation = [](const Layout& m) {
      return m.is_transposed ? kBlasTransposed : kBlasAsItIs;
    };
    sync::MutexLock lock(mutex_);
    BlasHandle& handle = handles_[stream.device.index];
    if (handle == nullptr) {
      BlasHandle created = nullptr;
      ThrowIfBlasFailed(blas.create(&created), "preparing cuBLAS for " + what);
      handle = created;
    }
    ThrowIfBlasFailed(blas.set_stream(handle, native), what);
    ThrowIfBlasFailed(blas.set_workspace(handle, workspace, workspace_bytes), what);
    // Column by column our row-major product is that of the transposed operands, the other way
    // round.
    ThrowIfBlasFailed(
        blas.GemmOf(T())(handle, operation(shape.b), operation(shape.a), shape.columns, shape.rows,
                         shape.inner, &one, b, shape.b.distance, shape.b.batch_step, a,
                         shape.a.distance, shape.a.batch_step, &zero, out, shape.columns,
                         shape.rows * shape.columns, shape.batch),
        what);
  }

 private:
  sync::Mutex mutex_{"cuBLAS contexts"};
  std::array<BlasHandle, std::numeric_limits<uint8_t>::max() + 1> handles_{};
};

constinit Contexts contexts;

// What cuBLAS wants on the newest machines; small products need none to be fast.
size_t WorkspaceBytes(const ProductShape& shape) {
  constexpr double kLarge = 1 << 22;  // multiplications
  const double all = static_cast<double>(shape.rows) * static_cast<double>(shape.columns) *
                     static_cast<double>(shape.inner) * static_cast<double>(shape.batch);
  return all >= kLarge ? size_t{32} << 20 : 0;
}

template <class T>
bool MultiplyTyped(const char* op, const Product<T>& body, Stream stream) {
  const std::optional<ProductShape> shape =
      ProductShapeOf(body.walk, body.inner, body.a_step, body.b_step);
  const Blas* const blas = shape ? FindBlas() : nullptr;
  if (blas == nullptr) return false;
  const size_t bytes = WorkspaceBytes(*shape);
  const Scratch workspace(bytes, stream);
  const cudaStream_t native = NativeStream(stream);
  const CurrentDevice current(stream.device.index);
  contexts.Multiply(*blas, std::string("launching ") + op, *shape, body.a, body.b, body.out,
                    workspace.data(), bytes, stream, native);
  return true;
}

}  // namespace

bool MultiplyByBlas(const char* op, const Product<float>& body, Stream stream) {
  return MultiplyTyped(op, body, stream);
}
bool MultiplyByBlas(const char* op, const Product<double>& body, Stream stream) {
  return MultiplyTyped(op, body, stream);
}

}  // namespace twingrad::cuda
