#include "cuda/blas.h"

#include <string>

#include "autograd/sync/once.h"
#if defined(TWINGRAD_FAKE_CUDA)
#include "cuda/fake/blas.h"
#else
#include "absl/strings/str_cat.h"
#include "cuda/shared_library.h"
#endif

namespace twingrad::cuda {
namespace {

struct Found {
  Blas blas{};
  std::string why_not;

#if defined(TWINGRAD_FAKE_CUDA)
  Found()
      : blas{fake::BlasCreate, fake::BlasSetStream, fake::BlasSetWorkspace, fake::Gemm<float>,
             fake::Gemm<double>} {}
#else
  // Of the version of the runtime that this program holds.
  Found() {
    SharedLibrary library("cuBLAS", absl::StrCat("libcublas.so.", CUDART_VERSION / 1000));
    library.Take("cublasCreate_v2", blas.create);
    library.Take("cublasSetStream_v2", blas.set_stream);
    library.Take("cublasSetWorkspace_v2", blas.set_workspace);
    library.Take("cublasSgemmStridedBatched_64", blas.sgemm);
    library.Take("cublasDgemmStridedBatched_64", blas.dgemm);
    why_not = library.why_not();
  }
#endif
};

constinit sync::Lazy<Found> found;

}  // namespace

const Blas* FindBlas() { return found->why_not.empty() ? &found->blas : nullptr; }

std::string_view WhyNoBlas() { return found->why_not; }

}  // namespace twingrad::cuda
