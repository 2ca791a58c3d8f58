// Compares what cuda_runtime_api.h of this folder declares with the toolkit's header of that name,
// and blas_types.h and dnn_types.h with those of cuBLAS and cuDNN where they are there: nothing
// runs, it compiles or not. The fake's declarations are read inside a namespace of their own.
#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

#include "cuda/fake/blas_types.h"
#include "cuda/fake/dnn_types.h"
#include "gtest/gtest.h"
#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#endif
#if __has_include(<cudnn.h>)
#include <cudnn.h>
#endif

namespace twingrad::cuda::fake::declared {
#define TWINGRAD_CUDA_ENTRY extern
#include "cuda/fake/cuda_runtime_api.h"
}  // namespace twingrad::cuda::fake::declared

namespace twingrad::cuda::fake {
namespace {

// Whether two types are the same but for the namespace in which their names stand.
template <class A, class B>
constexpr bool kAlike = std::is_same_v<A, B>;
template <class A, class B>
constexpr bool kAlike<A*, B*> = kAlike<A, B>;
template <class A, class B>
constexpr bool kAlike<const A, const B> = kAlike<A, B>;
template <class A, class... As, class B, class... Bs>
constexpr bool kAlike<A(As...), B(Bs...)> = [] {
  if constexpr (sizeof...(As) == sizeof...(Bs)) {
    return kAlike<A, B> && (kAlike<As, Bs> && ...);
  }
  return false;
}();
#define NAMED_ALIKE(name) \
  template <>             \
  constexpr bool kAlike<declared::name, ::name> = sizeof(declared::name) == sizeof(::name)
NAMED_ALIKE(cudaError);
NAMED_ALIKE(cudaDeviceAttr);
NAMED_ALIKE(cudaMemcpyKind);
NAMED_ALIKE(cudaMemoryType);
NAMED_ALIKE(cudaMemPoolAttr);
NAMED_ALIKE(cudaPointerAttributes);
#undef NAMED_ALIKE

static_assert(!kAlike<declared::cudaError, ::cudaMemcpyKind>, "differences are seen");
static_assert(!kAlike<int(int), int(int, int)>);
static_assert(!kAlike<void(const int*), void(int*)>);

#define ENTRY(name) \
  static_assert(kAlike<decltype(declared::name), decltype(::name)>, "the signature of " #name)
ENTRY(cudaGetLastError);
ENTRY(cudaPeekAtLastError);
ENTRY(cudaGetErrorName);
ENTRY(cudaGetErrorString);
ENTRY(cudaGetDeviceCount);
ENTRY(cudaGetDevice);
ENTRY(cudaSetDevice);
ENTRY(cudaDeviceSynchronize);
ENTRY(cudaDeviceGetAttribute);
ENTRY(cudaStreamCreateWithFlags);
ENTRY(cudaStreamDestroy);
ENTRY(cudaStreamSynchronize);
ENTRY(cudaStreamQuery);
ENTRY(cudaStreamWaitEvent);
ENTRY(cudaLaunchHostFunc);
ENTRY(cudaEventCreateWithFlags);
ENTRY(cudaEventDestroy);
ENTRY(cudaEventRecord);
ENTRY(cudaEventQuery);
ENTRY(cudaEventSynchronize);
ENTRY(cudaMalloc);
ENTRY(cudaFree);
ENTRY(cudaMallocAsync);
ENTRY(cudaFreeAsync);
ENTRY(cudaMallocHost);
ENTRY(cudaFreeHost);
ENTRY(cudaPointerGetAttributes);
ENTRY(cudaMemGetInfo);
ENTRY(cudaMemcpy);
ENTRY(cudaMemcpyAsync);
ENTRY(cudaMemsetAsync);
ENTRY(cudaDeviceGetDefaultMemPool);
ENTRY(cudaMemPoolGetAttribute);
ENTRY(cudaMemPoolSetAttribute);
ENTRY(cudaMemPoolTrimTo);

#define VALUE(name)                                                           \
  static_assert(static_cast<int>(declared::name) == static_cast<int>(::name), \
                "the value "                                                  \
                "of " #name)
VALUE(cudaSuccess);
VALUE(cudaErrorInvalidValue);
VALUE(cudaErrorMemoryAllocation);
VALUE(cudaErrorInitializationError);
VALUE(cudaErrorInvalidConfiguration);
VALUE(cudaErrorInsufficientDriver);
VALUE(cudaErrorDevicesUnavailable);
VALUE(cudaErrorNoDevice);
VALUE(cudaErrorInvalidDevice);
VALUE(cudaErrorECCUncorrectable);
VALUE(cudaErrorInvalidResourceHandle);
VALUE(cudaErrorNotReady);
VALUE(cudaErrorIllegalAddress);
VALUE(cudaErrorLaunchOutOfResources);
VALUE(cudaErrorLaunchFailure);
VALUE(cudaErrorNotPermitted);
VALUE(cudaErrorNotSupported);
VALUE(cudaErrorUnknown);
VALUE(cudaDevAttrMaxThreadsPerBlock);
VALUE(cudaDevAttrMaxSharedMemoryPerBlock);
VALUE(cudaDevAttrWarpSize);
VALUE(cudaDevAttrMultiProcessorCount);
VALUE(cudaDevAttrMemoryPoolsSupported);
VALUE(cudaMemoryTypeUnregistered);
VALUE(cudaMemoryTypeHost);
VALUE(cudaMemoryTypeDevice);
VALUE(cudaMemcpyHostToHost);
VALUE(cudaMemcpyHostToDevice);
VALUE(cudaMemcpyDeviceToHost);
VALUE(cudaMemcpyDeviceToDevice);
VALUE(cudaMemcpyDefault);
VALUE(cudaMemPoolAttrReleaseThreshold);
VALUE(cudaMemPoolAttrReservedMemCurrent);
VALUE(cudaMemPoolAttrReservedMemHigh);
VALUE(cudaMemPoolAttrUsedMemCurrent);
VALUE(cudaMemPoolAttrUsedMemHigh);

#define FIELD(name)                                                         \
  static_assert(offsetof(declared::cudaPointerAttributes, name) ==          \
                        offsetof(::cudaPointerAttributes, name) &&          \
                    kAlike<decltype(declared::cudaPointerAttributes::name), \
                           decltype(::cudaPointerAttributes::name)>,        \
                "the field " #name)
FIELD(type);
FIELD(device);
FIELD(devicePointer);
FIELD(hostPointer);

// The flags are macros: the fake's, read last, would be other text had it another value.
static_assert(cudaStreamNonBlocking == 0x01 && cudaEventDisableTiming == 0x02);

// Whether calls through one type of function pointer are calls of the other: whole numbers, enums
// and pointers of the same sizes.
template <class A, class B>
constexpr bool kPassedAlike =
    sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B>;
template <class R, class... As, class S, class... Bs>
constexpr bool CallsAlike(R (*)(As...), S (*)(Bs...)) {
  if constexpr (sizeof...(As) == sizeof...(Bs)) {
    return kPassedAlike<R, S> && (kPassedAlike<As, Bs> && ...);
  }
  return false;
}
static_assert(!CallsAlike(static_cast<int (*)(int)>(nullptr), static_cast<int (*)(long)>(nullptr)));

#if __has_include(<cublas_v2.h>)
static_assert(CallsAlike(BlasGemm<float>(nullptr), &cublasSgemmStridedBatched_64));
static_assert(CallsAlike(BlasGemm<double>(nullptr), &cublasDgemmStridedBatched_64));
static_assert(std::is_same_v<BlasHandle, cublasHandle_t>);
static_assert(static_cast<int>(kBlasSuccess) == CUBLAS_STATUS_SUCCESS &&
              static_cast<int>(kBlasAllocFailed) == CUBLAS_STATUS_ALLOC_FAILED &&
              static_cast<int>(kBlasExecutionFailed) == CUBLAS_STATUS_EXECUTION_FAILED &&
              static_cast<int>(kBlasAsItIs) == CUBLAS_OP_N &&
              static_cast<int>(kBlasTransposed) == CUBLAS_OP_T);
#endif

#if __has_include(<cudnn.h>)
// The types of the entries of one pass.
template <class A, class B, class Out>
struct Pass {
  static constexpr DnnOffers<A, B, Out> kOffers = nullptr;
  static constexpr DnnWorkspace<A, B, Out> kWorkspace = nullptr;
  static constexpr DnnRun<A, B, Out> kRun = nullptr;
};
using Forward = Pass<DnnTensor, DnnFilter, DnnTensor>;
using ByOperand = Pass<DnnFilter, DnnTensor, DnnTensor>;
using ByWeights = Pass<DnnTensor, DnnTensor, DnnFilter>;
static_assert(CallsAlike(Forward::kOffers, &cudnnGetConvolutionForwardAlgorithm_v7));
static_assert(CallsAlike(Forward::kWorkspace, &cudnnGetConvolutionForwardWorkspaceSize));
static_assert(CallsAlike(Forward::kRun, &cudnnConvolutionForward));
static_assert(CallsAlike(ByOperand::kOffers, &cudnnGetConvolutionBackwardDataAlgorithm_v7));
static_assert(CallsAlike(ByOperand::kWorkspace, &cudnnGetConvolutionBackwardDataWorkspaceSize));
static_assert(CallsAlike(ByOperand::kRun, &cudnnConvolutionBackwardData));
static_assert(CallsAlike(ByWeights::kOffers, &cudnnGetConvolutionBackwardFilterAlgorithm_v7));
static_assert(CallsAlike(ByWeights::kWorkspace, &cudnnGetConvolutionBackwardFilterWorkspaceSize));
static_assert(CallsAlike(ByWeights::kRun, &cudnnConvolutionBackwardFilter));

static_assert(std::is_same_v<DnnHandle, cudnnHandle_t>);
static_assert(std::is_same_v<DnnTensor, cudnnTensorDescriptor_t>);
static_assert(std::is_same_v<DnnFilter, cudnnFilterDescriptor_t>);
static_assert(std::is_same_v<DnnConvolution, cudnnConvolutionDescriptor_t>);
// Which operand comes first, for all pointers pass alike.
static_assert(
    std::is_same_v<decltype(&cudnnConvolutionForward),
                   cudnnStatus_t (*)(DnnHandle, const void*, DnnTensor, const void*, DnnFilter,
                                     const void*, DnnConvolution, cudnnConvolutionFwdAlgo_t, void*,
                                     size_t, const void*, DnnTensor, void*)>);
static_assert(
    std::is_same_v<decltype(&cudnnConvolutionBackwardData),
                   cudnnStatus_t (*)(DnnHandle, const void*, DnnFilter, const void*, DnnTensor,
                                     const void*, DnnConvolution, cudnnConvolutionBwdDataAlgo_t,
                                     void*, size_t, const void*, DnnTensor, void*)>);
static_assert(
    std::is_same_v<decltype(&cudnnConvolutionBackwardFilter),
                   cudnnStatus_t (*)(DnnHandle, const void*, DnnTensor, const void*, DnnTensor,
                                     const void*, DnnConvolution, cudnnConvolutionBwdFilterAlgo_t,
                                     void*, size_t, const void*, DnnFilter, void*)>);

// Of the entries that take no pass.
static_assert(CallsAlike(static_cast<DnnStatus (*)(DnnHandle*)>(nullptr), &cudnnCreate));
static_assert(CallsAlike(static_cast<DnnStatus (*)(DnnHandle, cudaStream_t)>(nullptr),
                         &cudnnSetStream));
static_assert(CallsAlike(static_cast<const char* (*)(DnnStatus)>(nullptr), &cudnnGetErrorString));
static_assert(
    CallsAlike(static_cast<DnnStatus (*)(DnnTensor, DnnType, int, const int*, const int*)>(nullptr),
               &cudnnSetTensorNdDescriptor));
static_assert(
    CallsAlike(static_cast<DnnStatus (*)(DnnFilter, DnnType, DnnFormat, int, const int*)>(nullptr),
               &cudnnSetFilterNdDescriptor));
static_assert(CallsAlike(static_cast<DnnStatus (*)(DnnConvolution, int, const int*, const int*,
                                                   const int*, DnnMode, DnnType)>(nullptr),
                         &cudnnSetConvolutionNdDescriptor));
static_assert(CallsAlike(static_cast<DnnStatus (*)(DnnConvolution, int)>(nullptr),
                         &cudnnSetConvolutionGroupCount));
static_assert(CallsAlike(static_cast<DnnStatus (*)(DnnConvolution, DnnMath)>(nullptr),
                         &cudnnSetConvolutionMathType));
static_assert(
    CallsAlike(static_cast<DnnStatus (*)(DnnTensor*)>(nullptr), &cudnnCreateTensorDescriptor) &&
    CallsAlike(static_cast<DnnStatus (*)(DnnTensor)>(nullptr), &cudnnDestroyTensorDescriptor) &&
    CallsAlike(static_cast<DnnStatus (*)(DnnFilter*)>(nullptr), &cudnnCreateFilterDescriptor) &&
    CallsAlike(static_cast<DnnStatus (*)(DnnFilter)>(nullptr), &cudnnDestroyFilterDescriptor) &&
    CallsAlike(static_cast<DnnStatus (*)(DnnConvolution*)>(nullptr),
               &cudnnCreateConvolutionDescriptor) &&
    CallsAlike(static_cast<DnnStatus (*)(DnnConvolution)>(nullptr),
               &cudnnDestroyConvolutionDescriptor));

// Of each algorithm that is asked about.
template <class Offer>
constexpr bool kIsAnOffer = sizeof(Offer) == sizeof(DnnOffer) &&
                            offsetof(Offer, algo) == offsetof(DnnOffer, algorithm) &&
                            offsetof(Offer, status) == offsetof(DnnOffer, status) &&
                            offsetof(Offer, memory) == offsetof(DnnOffer, memory) &&
                            offsetof(Offer, determinism) == offsetof(DnnOffer, determinism) &&
                            offsetof(Offer, mathType) == offsetof(DnnOffer, math);
static_assert(kIsAnOffer<cudnnConvolutionFwdAlgoPerf_t> &&
              kIsAnOffer<cudnnConvolutionBwdDataAlgoPerf_t> &&
              kIsAnOffer<cudnnConvolutionBwdFilterAlgoPerf_t>);

#define DNN_VALUE(name, of) \
  static_assert(static_cast<int>(name) == static_cast<int>(of), "the value of " #of)
DNN_VALUE(kDnnSuccess, CUDNN_STATUS_SUCCESS);
DNN_VALUE(kDnnNotInitialized, CUDNN_STATUS_NOT_INITIALIZED);
DNN_VALUE(kDnnVersionMismatch, CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH);
DNN_VALUE(kDnnLoadingFailed, CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED);
DNN_VALUE(kDnnBadParam, CUDNN_STATUS_BAD_PARAM);
DNN_VALUE(kDnnNullPointer, CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
DNN_VALUE(kDnnNotFinalized, CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
DNN_VALUE(kDnnSizeInsufficient, CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT);
DNN_VALUE(kDnnShapeMismatch, CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH);
DNN_VALUE(kDnnNotSupported, CUDNN_STATUS_NOT_SUPPORTED);
DNN_VALUE(kDnnShapeNotSupported, CUDNN_STATUS_NOT_SUPPORTED_SHAPE);
DNN_VALUE(kDnnInternalError, CUDNN_STATUS_INTERNAL_ERROR);
DNN_VALUE(kDnnHostAllocationFailed, CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED);
DNN_VALUE(kDnnDeviceAllocationFailed, CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED);
DNN_VALUE(kDnnExecutionFailed, CUDNN_STATUS_EXECUTION_FAILED);
DNN_VALUE(kDnnCudartFailed, CUDNN_STATUS_EXECUTION_FAILED_CUDART);
DNN_VALUE(kDnnFloat, CUDNN_DATA_FLOAT);
DNN_VALUE(kDnnDouble, CUDNN_DATA_DOUBLE);
DNN_VALUE(kDnnRowMajor, CUDNN_TENSOR_NCHW);
DNN_VALUE(kDnnCrossCorrelation, CUDNN_CROSS_CORRELATION);
DNN_VALUE(kDnnDefaultMath, CUDNN_DEFAULT_MATH);
DNN_VALUE(kDnnFmaMath, CUDNN_FMA_MATH);
DNN_VALUE(kDnnNonDeterministic, CUDNN_NON_DETERMINISTIC);
DNN_VALUE(kDnnDeterministic, CUDNN_DETERMINISTIC);
DNN_VALUE(kDnnForwardSums[0], CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM);
DNN_VALUE(kDnnForwardSums[1], CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM);
DNN_VALUE(kDnnForwardSums[2], CUDNN_CONVOLUTION_FWD_ALGO_GEMM);
DNN_VALUE(kDnnForwardSums[3], CUDNN_CONVOLUTION_FWD_ALGO_DIRECT);
DNN_VALUE(kDnnDataSums[0], CUDNN_CONVOLUTION_BWD_DATA_ALGO_0);
DNN_VALUE(kDnnDataSums[1], CUDNN_CONVOLUTION_BWD_DATA_ALGO_1);
DNN_VALUE(kDnnFilterSums[0], CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0);
DNN_VALUE(kDnnFilterSums[1], CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1);
DNN_VALUE(kDnnFilterSums[2], CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3);
#endif

TEST(DeclarationsTest, AreThoseOfTheToolkit) {
  EXPECT_TRUE((kAlike<decltype(declared::cudaMemcpyAsync), decltype(::cudaMemcpyAsync)>));
}

TEST(DeclarationsTest, AreThoseOfCudnn) {
#if __has_include(<cudnn.h>)
  RecordProperty("cudnn", CUDNN_VERSION);
  EXPECT_EQ(CUDNN_MAJOR, 9) << "cuda/dnn.cc loads that of version 9";
#else
  GTEST_SKIP()
      << "no <cudnn.h> beside the toolkit; set CUDNN_HOME to a folder with include/cudnn.h";
#endif
}

}  // namespace
}  // namespace twingrad::cuda::fake
