// Compares what cuda_runtime_api.h of this folder declares with the toolkit's header of that name:
// nothing runs, it compiles or not. The fake's declarations are read inside a namespace of their
// own.
#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

#include "cuda/fake/blas_types.h"
#include "gtest/gtest.h"
#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
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

#if __has_include(<cublas_v2.h>)
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
static_assert(CallsAlike(BlasGemm<float>(nullptr), &cublasSgemmStridedBatched_64));
static_assert(CallsAlike(BlasGemm<double>(nullptr), &cublasDgemmStridedBatched_64));
static_assert(std::is_same_v<BlasHandle, cublasHandle_t>);
static_assert(static_cast<int>(kBlasSuccess) == CUBLAS_STATUS_SUCCESS &&
              static_cast<int>(kBlasAllocFailed) == CUBLAS_STATUS_ALLOC_FAILED &&
              static_cast<int>(kBlasExecutionFailed) == CUBLAS_STATUS_EXECUTION_FAILED &&
              static_cast<int>(kBlasAsItIs) == CUBLAS_OP_N &&
              static_cast<int>(kBlasTransposed) == CUBLAS_OP_T);
#endif

TEST(DeclarationsTest, AreThoseOfTheToolkit) {
  EXPECT_TRUE((kAlike<decltype(declared::cudaMemcpyAsync), decltype(::cudaMemcpyAsync)>));
}

}  // namespace
}  // namespace twingrad::cuda::fake
