#include "cuda/fake/dnn.h"

#include <algorithm>
#include <functional>
#include <list>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/sync/once.h"
#include "cuda/fake/access.h"
#include "cuda/fake/dnn_sums.h"
#include "cuda/fake/launch.h"
#include "cuda/fake/runtime.h"

struct cudnnContext {
  int device;
  cudaStream_t stream = nullptr;
};
namespace twingrad::cuda::fake {
// A tensor or weights.
struct DnnArray {
  DnnType type = kDnnFloat;
  std::vector<int> sizes;  // empty: not set
};
}  // namespace twingrad::cuda::fake
struct cudnnTensorStruct : twingrad::cuda::fake::DnnArray {};
struct cudnnFilterStruct : twingrad::cuda::fake::DnnArray {};
struct cudnnConvolutionStruct {
  twingrad::cuda::DnnType type = twingrad::cuda::kDnnFloat;
  std::vector<int> padding, stride, dilation;  // empty: not set
  int groups = 1;
  twingrad::cuda::DnnMath math = twingrad::cuda::kDnnDefaultMath;
};

namespace twingrad::cuda::fake {
namespace {

// All that were created, and what is to fail; under the runtime's lock.
struct DnnObjects {
  std::list<cudnnContext> contexts;
  std::list<cudnnTensorStruct> tensors;
  std::list<cudnnFilterStruct> filters;
  std::list<cudnnConvolutionStruct> convolutions;
  std::string entry;  // that fails
  int in = 0;         // so many calls from now; 0: none does
  DnnStatus status = kDnnSuccess;
};
constinit sync::Lazy<DnnObjects> objects;

std::list<cudnnTensorStruct>& ListOf(DnnTensor) { return objects->tensors; }
std::list<cudnnFilterStruct>& ListOf(DnnFilter) { return objects->filters; }
std::list<cudnnConvolutionStruct>& ListOf(DnnConvolution) { return objects->convolutions; }

template <class Object>
bool IsAmong(const std::list<Object>& all, const Object* object) {
  return std::any_of(all.begin(), all.end(), [&](const Object& one) { return &one == object; });
}

DnnStatus DnnStatusOf(cudaError_t status) {
  switch (status) {
    case cudaSuccess:
      return kDnnSuccess;
    case cudaErrorMemoryAllocation:
      return kDnnDeviceAllocationFailed;
    default:
      return kDnnCudartFailed;
  }
}

// Runs an entry: `body` gives the status.
template <class Body>
DnnStatus EnterDnn(std::string_view entry, Body body) {
  DnnStatus status = kDnnSuccess;
  const cudaError_t error = Enter(entry, [&](Runtime& runtime) {
    DnnObjects& all = *objects;
    if (all.in > 0 && (all.entry.empty() || all.entry == entry) && --all.in == 0) {
      runtime.what_failed = entry;
      status = all.status;
    } else {
      status = body();
    }
    return cudaSuccess;
  });
  return error == cudaSuccess ? status : DnnStatusOf(error);
}

template <class Object>
DnnStatus Create(std::string_view entry, Object** object) {
  return EnterDnn(entry, [&] {
    *object = &ListOf(static_cast<Object*>(nullptr)).emplace_back();
    return kDnnSuccess;
  });
}

// What a process destroys after an error is destroyed.
template <class Object>
DnnStatus Destroy(Object* object) {
  if (StateOfThread().is_inside) return kDnnBadParam;
  sync::MutexLock lock(RuntimeMutex());
  const size_t destroyed =
      ListOf(object).remove_if([&](const Object& one) { return &one == object; });
  return destroyed == 1 ? kDnnSuccess : kDnnBadParam;
}

DnnStatus SetArray(DnnArray& array, DnnType type, int rank, const int* sizes) {
  if (type != kDnnFloat && type != kDnnDouble) return kDnnBadParam;
  if (std::any_of(sizes, sizes + rank, [](int size) { return size < 1; })) return kDnnBadParam;
  if (rank < 4 || rank > 5) return kDnnNotSupported;  // a plane of two or of three dimensions
  array.type = type;
  array.sizes.assign(sizes, sizes + rank);
  return kDnnSuccess;
}

struct Arrays {
  DnnTensor wide;
  DnnFilter weights;
  DnnTensor narrow;
};
Arrays ArraysOf(DnnTensor a, DnnFilter b, DnnTensor out) { return {a, b, out}; }
Arrays ArraysOf(DnnFilter a, DnnTensor b, DnnTensor out) { return {out, a, b}; }
Arrays ArraysOf(DnnTensor a, DnnTensor b, DnnFilter out) { return {a, out, b}; }

// Where the entries of windows lie, one dimension after the other.
void AddPlaces(const Arrays& arrays, const cudnnConvolutionStruct& by, DnnTask* task) {
  const size_t dims = by.padding.size();
  task->places.assign(static_cast<size_t>(task->entries * task->windows), 0);
  for (size_t i = 0; i < task->places.size(); ++i) {
    int64_t entry = static_cast<int64_t>(i) / task->windows,
            window = static_cast<int64_t>(i) % task->windows, place = 0, step = 1;
    for (size_t d = dims; d-- > 0;) {
      const int64_t kernel = arrays.weights->sizes[d + 2], count = arrays.narrow->sizes[d + 2],
                    size = arrays.wide->sizes[d + 2];
      const int64_t at =
          window % count * by.stride[d] + entry % kernel * by.dilation[d] - by.padding[d];
      place = place < 0 || at < 0 || at >= size ? -1 : place + at * step;
      step *= size;
      entry /= kernel;
      window /= count;
    }
    task->places[i] = place;
  }
}

// Whether all of them are valid, set and belong together.
DnnStatus Describe(DnnHandle handle, const Arrays& arrays, DnnConvolution convolution,
                   DnnTask* task) {
  if (!IsAmong(objects->contexts, handle) || handle->device != StateOfThread().device ||
      !IsAmong(objects->tensors, arrays.wide) || !IsAmong(objects->filters, arrays.weights) ||
      !IsAmong(objects->tensors, arrays.narrow) || !IsAmong(objects->convolutions, convolution)) {
    return kDnnBadParam;
  }
  const std::vector<int>&wide = arrays.wide->sizes, &weights = arrays.weights->sizes,
        &narrow = arrays.narrow->sizes;
  const size_t dims = convolution->padding.size();
  if (wide.empty() || weights.empty() || narrow.empty() || dims == 0) return kDnnNotFinalized;
  if (arrays.wide->type != convolution->type || arrays.weights->type != convolution->type ||
      arrays.narrow->type != convolution->type) {
    return kDnnBadParam;
  }
  const int groups = convolution->groups;
  bool fits = wide.size() == dims + 2 && weights.size() == dims + 2 && narrow.size() == dims + 2;
  fits = fits && wide[0] == narrow[0] && wide[1] == weights[1] * groups && narrow[1] == weights[0];
  fits = fits && weights[0] % groups == 0;
  *task = {};
  task->stream = handle->stream;
  task->type = convolution->type;
  for (size_t d = 0; fits && d < dims; ++d) {
    const int reach = convolution->dilation[d] * (weights[d + 2] - 1) + 1;
    const int left = wide[d + 2] + 2 * convolution->padding[d] - reach;
    fits = left >= 0 && narrow[d + 2] == left / convolution->stride[d] + 1;
    task->plane *= wide[d + 2];
    task->entries *= weights[d + 2];
    task->windows *= narrow[d + 2];
  }
  if (!fits) return kDnnShapeMismatch;
  task->is_rounded = task->type == kDnnFloat && convolution->math != kDnnFmaMath;
  task->samples = wide[0];
  task->groups = groups;
  task->depth = weights[1];
  task->results = weights[0] / groups;
  AddPlaces(arrays, *convolution, task);
  return kDnnSuccess;
}

// How the three passes differ.
template <class A, class B, class Out>
constexpr bool kIsForward = std::is_same_v<B, DnnFilter>;
template <class A, class B, class Out>
constexpr const char* kPassName = kIsForward<A, B, Out>          ? "Forward"
                                  : std::is_same_v<A, DnnFilter> ? "BackwardData"
                                                                 : "BackwardFilter";

template <class T, class Out>
std::function<void()> SumsOf(DnnTask task, DnnTensor, const T* a, DnnFilter, const T* b, Out,
                             T* out) {
  return [task = std::move(task), a, b, out] { SumForward(task, a, b, out); };
}
template <class T, class Out>
std::function<void()> SumsOf(DnnTask task, DnnFilter, const T* a, DnnTensor, const T* b, Out,
                             T* out) {
  return [task = std::move(task), a, b, out] { SumByOperand(task, a, b, out); };
}
template <class T, class Out>
std::function<void()> SumsOf(DnnTask task, DnnTensor, const T* a, DnnTensor, const T* b, Out,
                             T* out) {
  return [task = std::move(task), a, b, out] { SumByWeights(task, a, b, out); };
}

size_t ElementsOf(const DnnArray& array) {
  size_t elements = 1;
  for (const int size : array.sizes) elements *= static_cast<size_t>(size);
  return elements;
}

constexpr int kRuns = 1, kWantsMuch = 2;  // algorithms
constexpr size_t kTooLarge = size_t{1} << 62;

bool AreOneAndZero(DnnType type, const void* alpha, const void* beta) {
  const auto are = [&](auto one) {
    using T = decltype(one);
    return *static_cast<const T*>(alpha) == one && *static_cast<const T*>(beta) == T(0);
  };
  return type == kDnnFloat ? are(1.0f) : are(1.0);
}

// By pass; the last one runs.
template <class A, class B, class Out>
std::vector<DnnOffer> OffersOf() {
  constexpr bool kForward = kIsForward<A, B, Out>;
  const int transforms = kForward ? 6 : std::is_same_v<Out, DnnFilter> ? 5 : 4;
  const auto offer = [](int algorithm, DnnStatus status, size_t memory, DnnDeterminism determinism,
                        DnnMath math = kDnnFmaMath) {
    return DnnOffer{algorithm, status, 1, memory, determinism, math, {}};
  };
  std::vector<DnnOffer> offers = {
      offer(transforms, kDnnSuccess, 0, kDnnDeterministic),
      offer(0, kDnnSuccess, 0, kDnnNonDeterministic),
      offer(kRuns, kDnnSuccess, 0, kDnnDeterministic, static_cast<DnnMath>(1)),  // tensor cores
  };
  if (kForward) {
    offers.push_back(offer(3, kDnnNotSupported, 0, kDnnDeterministic));
    offers.push_back(offer(kWantsMuch, kDnnSuccess, kTooLarge, kDnnDeterministic));
  }
  offers.push_back(offer(kRuns, kDnnSuccess, kDnnWorkspaceBytes, kDnnDeterministic));
  return offers;
}

}  // namespace

DnnStatus DnnCreate(DnnHandle* handle) {
  return EnterDnn("cudnnCreate", [&] {
    *handle = &objects->contexts.emplace_back(cudnnContext{StateOfThread().device});
    return kDnnSuccess;
  });
}

DnnStatus DnnSetStream(DnnHandle handle, cudaStream_t stream) {
  return EnterDnn("cudnnSetStream", [&] {
    const CUstream_st* const queue = TheRuntime()->StreamOf(stream);
    if (!IsAmong(objects->contexts, handle) || queue == nullptr) return kDnnBadParam;
    if (queue->device != handle->device) return kDnnBadParam;
    handle->stream = stream;
    return kDnnSuccess;
  });
}

const char* DnnNameOf(DnnStatus status) {
  constexpr std::pair<DnnStatus, const char*> kNames[] = {
      {kDnnSuccess, "CUDNN_STATUS_SUCCESS"},
      {kDnnNotInitialized, "CUDNN_STATUS_NOT_INITIALIZED"},
      {kDnnVersionMismatch, "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"},
      {kDnnLoadingFailed, "CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED"},
      {kDnnBadParam, "CUDNN_STATUS_BAD_PARAM"},
      {kDnnNullPointer, "CUDNN_STATUS_BAD_PARAM_NULL_POINTER"},
      {kDnnNotFinalized, "CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED"},
      {kDnnSizeInsufficient, "CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT"},
      {kDnnShapeMismatch, "CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH"},
      {kDnnNotSupported, "CUDNN_STATUS_NOT_SUPPORTED"},
      {kDnnShapeNotSupported, "CUDNN_STATUS_NOT_SUPPORTED_SHAPE"},
      {kDnnInternalError, "CUDNN_STATUS_INTERNAL_ERROR"},
      {kDnnHostAllocationFailed, "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED"},
      {kDnnDeviceAllocationFailed, "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED"},
      {kDnnExecutionFailed, "CUDNN_STATUS_EXECUTION_FAILED"},
      {kDnnCudartFailed, "CUDNN_STATUS_EXECUTION_FAILED_CUDART"},
  };
  for (const auto& [known, name] : kNames) {
    if (known == status) return name;
  }
  return "CUDNN_UNKNOWN_STATUS";
}

DnnStatus CreateTensor(DnnTensor* tensor) { return Create("cudnnCreateTensorDescriptor", tensor); }
DnnStatus DestroyTensor(DnnTensor tensor) { return Destroy(tensor); }
DnnStatus CreateFilter(DnnFilter* filter) { return Create("cudnnCreateFilterDescriptor", filter); }
DnnStatus DestroyFilter(DnnFilter filter) { return Destroy(filter); }
DnnStatus CreateConvolution(DnnConvolution* convolution) {
  return Create("cudnnCreateConvolutionDescriptor", convolution);
}
DnnStatus DestroyConvolution(DnnConvolution convolution) { return Destroy(convolution); }

DnnStatus SetTensor(DnnTensor tensor, DnnType type, int rank, const int* sizes,
                    const int* strides) {
  return EnterDnn("cudnnSetTensorNdDescriptor", [&] {
    if (!IsAmong(objects->tensors, tensor)) return kDnnBadParam;
    int step = 1;
    for (int d = rank; d-- > 0; step *= sizes[d]) {
      if (strides[d] != step) return kDnnNotSupported;  // here; it takes others
    }
    return SetArray(*tensor, type, rank, sizes);
  });
}

DnnStatus SetFilter(DnnFilter filter, DnnType type, DnnFormat format, int rank, const int* sizes) {
  return EnterDnn("cudnnSetFilterNdDescriptor", [&] {
    if (!IsAmong(objects->filters, filter) || format != kDnnRowMajor) return kDnnBadParam;
    return SetArray(*filter, type, rank, sizes);
  });
}

DnnStatus SetConvolution(DnnConvolution convolution, int dims, const int* padding,
                         const int* stride, const int* dilation, DnnMode mode, DnnType type) {
  return EnterDnn("cudnnSetConvolutionNdDescriptor", [&] {
    if (!IsAmong(objects->convolutions, convolution) || mode != kDnnCrossCorrelation) {
      return kDnnBadParam;
    }
    if (dims < 2 || dims > 3) return kDnnNotSupported;
    for (int d = 0; d < dims; ++d) {
      if (padding[d] < 0 || stride[d] < 1 || dilation[d] < 1) return kDnnBadParam;
    }
    convolution->type = type;
    convolution->padding.assign(padding, padding + dims);
    convolution->stride.assign(stride, stride + dims);
    convolution->dilation.assign(dilation, dilation + dims);
    return kDnnSuccess;
  });
}

DnnStatus SetGroups(DnnConvolution convolution, int groups) {
  return EnterDnn("cudnnSetConvolutionGroupCount", [&] {
    if (!IsAmong(objects->convolutions, convolution) || groups < 1) return kDnnBadParam;
    convolution->groups = groups;
    return kDnnSuccess;
  });
}

DnnStatus SetMath(DnnConvolution convolution, DnnMath math) {
  return EnterDnn("cudnnSetConvolutionMathType", [&] {
    if (!IsAmong(objects->convolutions, convolution)) return kDnnBadParam;
    convolution->math = math;
    return kDnnSuccess;
  });
}

template <class A, class B, class Out>
DnnStatus OfferAlgorithms(DnnHandle handle, A a, B b, DnnConvolution convolution, Out out, int most,
                          int* count, DnnOffer* offers) {
  return EnterDnn(absl::StrCat("cudnnGetConvolution", kPassName<A, B, Out>, "Algorithm_v7"), [&] {
    DnnTask task;
    const DnnStatus status = Describe(handle, ArraysOf(a, b, out), convolution, &task);
    if (status != kDnnSuccess) return status;
    const std::vector<DnnOffer> all = OffersOf<A, B, Out>();
    *count = std::min(most, static_cast<int>(all.size()));
    std::copy_n(all.begin(), *count, offers);
    return kDnnSuccess;
  });
}

template <class A, class B, class Out>
DnnStatus GetWorkspace(DnnHandle handle, A a, B b, DnnConvolution convolution, Out out,
                       int algorithm, size_t* bytes) {
  return EnterDnn(absl::StrCat("cudnnGetConvolution", kPassName<A, B, Out>, "WorkspaceSize"), [&] {
    DnnTask task;
    const DnnStatus status = Describe(handle, ArraysOf(a, b, out), convolution, &task);
    if (status != kDnnSuccess) return status;
    *bytes = algorithm == kRuns ? kDnnWorkspaceBytes : algorithm == kWantsMuch ? kTooLarge : 0;
    return kDnnSuccess;
  });
}

template <class A, class B, class Out>
DnnStatus RunConvolution(DnnHandle handle, const void* alpha, A a, const void* a_data, B b,
                         const void* b_data, DnnConvolution convolution, int algorithm,
                         void* workspace, size_t bytes, const void* beta, Out out, void* out_data) {
  DnnTask task;
  const DnnStatus status = EnterDnn(absl::StrCat("cudnnConvolution", kPassName<A, B, Out>), [&] {
    if (alpha == nullptr || beta == nullptr || a_data == nullptr || b_data == nullptr ||
        out_data == nullptr) {
      return kDnnNullPointer;
    }
    const DnnStatus described = Describe(handle, ArraysOf(a, b, out), convolution, &task);
    if (described != kDnnSuccess) return described;
    if (algorithm != kRuns || !AreOneAndZero(task.type, alpha, beta)) return kDnnNotSupported;
    if (workspace == nullptr || bytes < kDnnWorkspaceBytes) return kDnnSizeInsufficient;
    return kDnnSuccess;
  });
  if (status != kDnnSuccess) return status;
  const size_t each = task.type == kDnnFloat ? sizeof(float) : sizeof(double);
  const std::vector<Access> accesses = {{a_data, ElementsOf(*a) * each, false},
                                        {b_data, ElementsOf(*b) * each, false},
                                        {out_data, ElementsOf(*out) * each, true},
                                        {workspace, bytes, true}};
  const cudaStream_t stream = task.stream;
  const auto queue = [&](auto zero) {
    using T = decltype(zero);
    return LaunchOnHost("convolution", {1, 1, 0}, accesses, stream,
                        SumsOf(std::move(task), a, static_cast<const T*>(a_data), b,
                               static_cast<const T*>(b_data), out, static_cast<T*>(out_data)));
  };
  return DnnStatusOf(task.type == kDnnFloat ? queue(0.0f) : queue(0.0));
}

#define INSTANTIATE(A, B, Out)                                                                    \
  template DnnStatus OfferAlgorithms(DnnHandle, A, B, DnnConvolution, Out, int, int*, DnnOffer*); \
  template DnnStatus GetWorkspace(DnnHandle, A, B, DnnConvolution, Out, int, size_t*);            \
  template DnnStatus RunConvolution(DnnHandle, const void*, A, const void*, B, const void*,       \
                                    DnnConvolution, int, void*, size_t, const void*, Out, void*)
INSTANTIATE(DnnTensor, DnnFilter, DnnTensor);
INSTANTIATE(DnnFilter, DnnTensor, DnnTensor);
INSTANTIATE(DnnTensor, DnnTensor, DnnFilter);
#undef INSTANTIATE

void FailDnn(std::string entry, int n, DnnStatus status) {
  sync::MutexLock lock(RuntimeMutex());
  objects->entry = std::move(entry);
  objects->in = n;
  objects->status = status;
  TheRuntime()->what_failed.clear();
}

int64_t CountDescriptors() {
  sync::MutexLock lock(RuntimeMutex());
  return static_cast<int64_t>(objects->tensors.size() + objects->filters.size() +
                              objects->convolutions.size());
}

}  // namespace twingrad::cuda::fake
