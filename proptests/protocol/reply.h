// Replies: an Observation as the text that adapters send, and back.
//
//   value %x type=f64[2] data=3,4 version=0 requires_grad=1
//   grad %x type=f64[2] data=18,32
//   call 2 accumulate=1 roots=0:0 executed=0,1
//   node statement@1 dependencies=0 edges=1:0,1:0
//   node accumulate_grad@0 dependencies=2
//
// The grammar is in README.md. Whatever the bytes, reading ends in an Observation that fits the
// Program or in an error with the line's number; its cost is linear in the text. Pure functions.

#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "autograd/program/observation.h"
#include "autograd/program/program.h"

namespace twingrad::protocol {

// Gradients may be wrong, so they may have shapes that no value of a Program has, up to these
// limits.
inline constexpr size_t kMaxReplyRank = 16;
inline constexpr size_t kMaxReplyNodes = size_t{1} << 20;

std::string PrintReply(const twingrad::program::Program& program,
                       const twingrad::program::Observation& observation);

// Error: `[protocol] reply line N: what is wrong; what is allowed`.
absl::StatusOr<twingrad::program::Observation> ParseReply(const twingrad::program::Program& program,
                                                          std::string_view text);

}  // namespace twingrad::protocol
