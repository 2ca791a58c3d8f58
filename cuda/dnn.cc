#include "cuda/dnn.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "autograd/sync/once.h"
#if defined(TWINGRAD_FAKE_CUDA)
#include "cuda/fake/dnn.h"
#else
#include <dlfcn.h>
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
    void* const library = dlopen("libcudnn.so.9", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      why_not = absl::StrCat("no cuDNN: ", dlerror());
      return;
    }
    TakeEntry(library, "cudnnCreate", dnn.create);
    TakeEntry(library, "cudnnSetStream", dnn.set_stream);
    TakeEntry(library, "cudnnGetErrorString", dnn.name_of);
    TakeEntry(library, "cudnnCreateTensorDescriptor", dnn.create_tensor);
    TakeEntry(library, "cudnnDestroyTensorDescriptor", dnn.destroy_tensor);
    TakeEntry(library, "cudnnSetTensorNdDescriptor", dnn.set_tensor);
    TakeEntry(library, "cudnnCreateFilterDescriptor", dnn.create_filter);
    TakeEntry(library, "cudnnDestroyFilterDescriptor", dnn.destroy_filter);
    TakeEntry(library, "cudnnSetFilterNdDescriptor", dnn.set_filter);
    TakeEntry(library, "cudnnCreateConvolutionDescriptor", dnn.create_convolution);
    TakeEntry(library, "cudnnDestroyConvolutionDescriptor", dnn.destroy_convolution);
    TakeEntry(library, "cudnnSetConvolutionNdDescriptor", dnn.set_convolution);
    TakeEntry(library, "cudnnSetConvolutionGroupCount", dnn.set_groups);
    TakeEntry(library, "cudnnSetConvolutionMathType", dnn.set_math);
    TakePass(library, "Forward", dnn.forward);
    TakePass(library, "BackwardData", dnn.by_operand);
    TakePass(library, "BackwardFilter", dnn.by_weights);
  }

  template <class Entry>
  void TakeEntry(void* library, const std::string& name, Entry& entry) {
    entry = reinterpret_cast<Entry>(dlsym(library, name.c_str()));
    if (entry == nullptr) why_not = absl::StrCat("no cuDNN: it has no ", name);
  }
  template <class Pass>
  void TakePass(void* library, const std::string& name, Pass& pass) {
    TakeEntry(library, absl::StrCat("cudnnGetConvolution", name, "Algorithm_v7"), pass.offers);
    TakeEntry(library, absl::StrCat("cudnnGetConvolution", name, "WorkspaceSize"), pass.workspace);
    TakeEntry(library, absl::StrCat("cudnnConvolution", name), pass.run);
  }
#endif
};

constinit sync::Lazy<FoundDnn> found_dnn;

}  // namespace

const Dnn* FindDnn() { return found_dnn->why_not.empty() ? &found_dnn->dnn : nullptr; }

std::string_view WhyNoDnn() { return found_dnn->why_not; }

}  // namespace twingrad::cuda
