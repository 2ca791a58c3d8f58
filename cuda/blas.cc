#include "cuda/blas.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "autograd/sync/once.h"
#if defined(TWINGRAD_FAKE_CUDA)
#include "cuda/fake/blas.h"
#else
#include <dlfcn.h>
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
    const std::string name = absl::StrCat("libcublas.so.", CUDART_VERSION / 1000);
    void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      why_not = absl::StrCat("no cuBLAS: ", dlerror());
      return;
    }
    Take(library, "cublasCreate_v2", blas.create);
    Take(library, "cublasSetStream_v2", blas.set_stream);
    Take(library, "cublasSetWorkspace_v2", blas.set_workspace);
    Take(library, "cublasSgemmStridedBatched_64", blas.sgemm);
    Take(library, "cublasDgemmStridedBatched_64", blas.dgemm);
  }

  template <class Entry>
  void Take(void* library, const char* name, Entry& entry) {
    entry = reinterpret_cast<Entry>(dlsym(library, name));
    if (entry == nullptr) why_not = absl::StrCat("no cuBLAS: it has no ", name);
  }
#endif
};

constinit sync::Lazy<Found> found;

}  // namespace

const Blas* FindBlas() { return found->why_not.empty() ? &found->blas : nullptr; }

std::string_view WhyNoBlas() { return found->why_not; }

}  // namespace twingrad::cuda
