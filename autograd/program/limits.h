// Limits on the size of a Program, so that every reader can size its buffers and no input exhausts
// a machine.

#pragma once

#include <cstdint>
#include <string_view>

namespace twingrad::program {

// The first line of every Program.
inline constexpr std::string_view kHeader = "twingrad 1";

inline constexpr int kMaxStatements = 200'000;
// Calls, hooks and all else that is neither a leaf nor computed from operands may look at the whole
// graph so far. Of those, this many statements before them in all: of a Program of 10,000
// statements each may be anything, one of 100,000 has some 500.
inline constexpr int64_t kMaxLooks = 50'000'000;
inline constexpr int kMaxRank = 6;
inline constexpr int64_t kMaxElements = int64_t{1} << 20;  // of one tensor
// Of a whole Program: the elements of all values, the terms that matmul, einsum and convolutions
// add up, the entries of the windows of pools, and the n (n + 1) / 2 terms of each row of length n
// of cumsum.
inline constexpr int64_t kMaxTotalElements = int64_t{1} << 26;
inline constexpr int kMaxNesting = 16;     // of begin ... end
inline constexpr int kMaxNestedCalls = 3;  // of do=backward: calls within calls within a call
inline constexpr int kMaxDevices = 8;      // dev:0 .. dev:7
inline constexpr int kMaxNameLength = 64;
inline constexpr int kMaxOperands = 1'000;  // of a call: its roots
inline constexpr int kMaxCustomOperands = 8;
inline constexpr int64_t kMaxTextBytes = int64_t{1} << 26;

}  // namespace twingrad::program
