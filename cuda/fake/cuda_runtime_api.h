// What //cuda uses of the CUDA runtime, declared for builds that have the runtime of //cuda/fake.
//
// It has the name of the toolkit's header, so that the sources of //cuda are the same in both
// builds; only those over the fake runtime find it by <cuda_runtime_api.h>. Where there is a
// toolkit, declarations_test compares each declaration with its own: signatures, values, fields.
#pragma once

#include <cstddef>

// That test reads this file inside a namespace, where two functions of one name may not have C
// linkage.
#ifndef TWINGRAD_CUDA_ENTRY
#define TWINGRAD_CUDA_ENTRY extern "C"
#endif

// Errors.

enum cudaError {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInitializationError = 3,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInsufficientDriver = 35,
  cudaErrorDevicesUnavailable = 46,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorECCUncorrectable = 214,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchOutOfResources = 701,
  cudaErrorLaunchFailure = 719,
  cudaErrorNotPermitted = 800,
  cudaErrorNotSupported = 801,
  cudaErrorUnknown = 999,
};
typedef enum cudaError cudaError_t;

TWINGRAD_CUDA_ENTRY cudaError_t cudaGetLastError(void);
TWINGRAD_CUDA_ENTRY cudaError_t cudaPeekAtLastError(void);
TWINGRAD_CUDA_ENTRY const char* cudaGetErrorName(cudaError_t error);
TWINGRAD_CUDA_ENTRY const char* cudaGetErrorString(cudaError_t error);

// Devices.

enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrMemoryPoolsSupported = 115,
};

TWINGRAD_CUDA_ENTRY cudaError_t cudaGetDeviceCount(int* count);
TWINGRAD_CUDA_ENTRY cudaError_t cudaGetDevice(int* device);
TWINGRAD_CUDA_ENTRY cudaError_t cudaSetDevice(int device);
TWINGRAD_CUDA_ENTRY cudaError_t cudaDeviceSynchronize(void);
TWINGRAD_CUDA_ENTRY cudaError_t cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr attribute,
                                                       int device);

// Streams and events.

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef void (*cudaHostFn_t)(void* data);

#define cudaStreamNonBlocking 0x01
#define cudaEventDisableTiming 0x02

TWINGRAD_CUDA_ENTRY cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags);
TWINGRAD_CUDA_ENTRY cudaError_t cudaStreamDestroy(cudaStream_t stream);
TWINGRAD_CUDA_ENTRY cudaError_t cudaStreamSynchronize(cudaStream_t stream);
TWINGRAD_CUDA_ENTRY cudaError_t cudaStreamQuery(cudaStream_t stream);
TWINGRAD_CUDA_ENTRY cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                                    unsigned int flags);
TWINGRAD_CUDA_ENTRY cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                                                   void* data);
TWINGRAD_CUDA_ENTRY cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
TWINGRAD_CUDA_ENTRY cudaError_t cudaEventDestroy(cudaEvent_t event);
TWINGRAD_CUDA_ENTRY cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
TWINGRAD_CUDA_ENTRY cudaError_t cudaEventQuery(cudaEvent_t event);
TWINGRAD_CUDA_ENTRY cudaError_t cudaEventSynchronize(cudaEvent_t event);

// Memory.

enum cudaMemoryType {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
};
struct cudaPointerAttributes {
  enum cudaMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
  long reserved[8];
};
enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4,
};

TWINGRAD_CUDA_ENTRY cudaError_t cudaMalloc(void** data, size_t bytes);
TWINGRAD_CUDA_ENTRY cudaError_t cudaFree(void* data);
TWINGRAD_CUDA_ENTRY cudaError_t cudaMallocAsync(void** data, size_t bytes, cudaStream_t stream);
TWINGRAD_CUDA_ENTRY cudaError_t cudaFreeAsync(void* data, cudaStream_t stream);
TWINGRAD_CUDA_ENTRY cudaError_t cudaMallocHost(void** data, size_t bytes);
TWINGRAD_CUDA_ENTRY cudaError_t cudaFreeHost(void* data);
TWINGRAD_CUDA_ENTRY cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes* attributes,
                                                         const void* data);
TWINGRAD_CUDA_ENTRY cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes);
TWINGRAD_CUDA_ENTRY cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes,
                                           enum cudaMemcpyKind kind);
TWINGRAD_CUDA_ENTRY cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes,
                                                enum cudaMemcpyKind kind, cudaStream_t stream);
TWINGRAD_CUDA_ENTRY cudaError_t cudaMemsetAsync(void* data, int value, size_t bytes,
                                                cudaStream_t stream);

// The pools of stream-ordered memory.

typedef struct CUmemPoolHandle_st* cudaMemPool_t;
enum cudaMemPoolAttr {
  cudaMemPoolAttrReleaseThreshold = 4,
  cudaMemPoolAttrReservedMemCurrent = 5,
  cudaMemPoolAttrReservedMemHigh = 6,
  cudaMemPoolAttrUsedMemCurrent = 7,
  cudaMemPoolAttrUsedMemHigh = 8,
};

TWINGRAD_CUDA_ENTRY cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device);
TWINGRAD_CUDA_ENTRY cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool,
                                                        enum cudaMemPoolAttr attribute,
                                                        void* value);
TWINGRAD_CUDA_ENTRY cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool,
                                                        enum cudaMemPoolAttr attribute,
                                                        void* value);
TWINGRAD_CUDA_ENTRY cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes_to_keep);
