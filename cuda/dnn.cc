#include "cuda/dnn.h"

#include <string>

#include "autograd/sync/once.h"
#if defined(TWINGRAD_FAKE_CUDA)
#include "cuda/fake/dnn.h"
#else
#include "absl/strings/str_cat.h"
#include "cuda/shared_library.h"
#endif

namespace twingrad::cuda {
namespace {

struct FoundDnn {
  Dnn dnn{};
  std::string why_not;

#if defined(TWINGRAD_FAKE_CUDA)
  FoundDnn()
      : dnn{fake::DnnCreate,
            fake::DnnSetStream,
            fake::DnnNameOf,
            fake::CreateTensor,
            fake::DestroyTensor,
            fake::SetTensor,
            fake::CreateFilter,
            fake::DestroyFilter,
            fake::SetFilter,
            fake::CreateConvolution,
            fake::DestroyConvolution,
            fake::SetConvolution,
            fake::SetGroups,
            fake::SetMath,
            PassOf<DnnTensor, DnnFilter, DnnTensor>(),
            PassOf<DnnFilter, DnnTensor, DnnTensor>(),
            PassOf<DnnTensor, DnnTensor, DnnFilter>()} {}

  template <class A, class B, class Out>
  static DnnPass<A, B, Out> PassOf() {
    return {fake::OfferAlgorithms<A, B, Out>, fake::GetWorkspace<A, B, Out>,
            fake::RunConvolution<A, B, Out>};
  }
#else
  // Of the version whose entries dnn_types.h declares; it finds its own parts beside it.
  FoundDnn() {
    SharedLibrary library("cuDNN", "libcudnn.so.9");
    library.Take("cudnnCreate", dnn.create);
    library.Take("cudnnSetStream", dnn.set_stream);
    library.Take("cudnnGetErrorString", dnn.name_of);
    library.Take("cudnnCreateTensorDescriptor", dnn.create_tensor);
    library.Take("cudnnDestroyTensorDescriptor", dnn.destroy_tensor);
    library.Take("cudnnSetTensorNdDescriptor", dnn.set_tensor);
    library.Take("cudnnCreateFilterDescriptor", dnn.create_filter);
    library.Take("cudnnDestroyFilterDescriptor", dnn.destroy_filter);
    library.Take("cudnnSetFilterNdDescriptor", dnn.set_filter);
    library.Take("cudnnCreateConvolutionDescriptor", dnn.create_convolution);
    library.Take("cudnnDestroyConvolutionDescriptor", dnn.destroy_convolution);
    library.Take("cudnnSetConvolutionNdDescriptor", dnn.set_convolution);
    library.Take("cudnnSetConvolutionGroupCount", dnn.set_groups);
    library.Take("cudnnSetConvolutionMathType", dnn.set_math);
    TakePass(library, "Forward", dnn.forward);
    TakePass(library, "BackwardData", dnn.by_operand);
    TakePass(library, "BackwardFilter", dnn.by_weights);
    why_not = library.why_not();
  }

  template <class Pass>
  static void TakePass(SharedLibrary& library, const std::string& name, Pass& pass) {
    library.Take(absl::StrCat("cudnnGetConvolution", name, "Algorithm_v7"), pass.offers);
    library.Take(absl::StrCat("cudnnGetConvolution", name, "WorkspaceSize"), pass.workspace);
    library.Take(absl::StrCat("cudnnConvolution", name), pass.run);
  }
#endif
};

constinit sync::Lazy<FoundDnn> found_dnn;

}  // namespace

const Dnn* FindDnn() { return found_dnn->why_not.empty() ? &found_dnn->dnn : nullptr; }

std::string_view WhyNoDnn() { return found_dnn->why_not; }

}  // namespace twingrad::cuda
