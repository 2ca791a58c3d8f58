// What tests set and ask of the fake CUDA runtime, beside CUDA's own entry points.
//
//   fake::FailCall("cudaMallocAsync", 2, cudaErrorMemoryAllocation);   // the second from now on
//   ... EXPECT_THROW(device.Allocate(8, stream), Error) ...
//   EXPECT_THAT(fake::TakeReports(), IsEmpty());
//
// Any thread may call it, but not a kernel or a host function.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace twingrad::cuda::fake {

inline constexpr int kDevices = 8;  // as many as Programs name
// Of each device, unless it was set.
inline constexpr size_t kMemoryBytes = size_t{1} << 32;
constexpr unsigned kMostThreads = 1024;                // of a block
constexpr size_t kMostSharedBytes = size_t{48} << 10;  // likewise

// As if the process had ended and begun anew: no stream, event or block is valid, no error lasts,
// nothing fails. What is queued never runs. The calling thread's device is the first.
void Restart();

// The n-th call of an entry point from now on, 1 being the next, does nothing and answers `code`.
// An empty name: of any. A kernel's launch is called "launch". Replaces what was to fail before.
void FailCall(std::string entry, int n, cudaError_t code);
// The n-th kernel or copy queued from now on stops with `code` when it runs: from then on every
// call fails with it.
void FailWork(int n, cudaError_t code);
// Whether what was to fail has failed; which call or work it was ("": none).
bool HasFailed();
std::string WhatFailed();
// From now on every call fails that concerns the device; what is queued there never runs.
void LoseDevice(int device);

// Bytes that a device has in all.
void SetMemory(int device, size_t bytes);
// Blocks of memory that are in use, device and pinned host memory together; events; streams.
struct Live {
  int64_t blocks;
  int64_t events;
  int64_t streams;
  friend bool operator==(const Live&, const Live&) = default;
};
Live CountLive();

// Runs one piece of work that the events allow to run now, the `choice`-th of the streams that have
// one, counted round. False: there is none.
bool RunOne(size_t choice);

// Reads a block as it is once all that is queued has run, without a wait that orders what is queued
// later: for who only looks.
void Watch(void* to_host, const void* from, size_t bytes);

// What was wrong with the order or the place of accesses since the last call.
std::vector<std::string> TakeReports();

}  // namespace twingrad::cuda::fake
