// AG_DEVICE: marks a function that nvcc compiles for a GPU as well as for the host.
//
//   AG_DEVICE int64_t Twice(int64_t x) { return 2 * x; }
//
// For any other compiler it is nothing. What is marked calls only what is marked, constexpr
// functions and the mathematical functions of <cmath>.

#pragma once

#if defined(__CUDACC__)
#define AG_DEVICE __host__ __device__
#else
#define AG_DEVICE
#endif
