// The content hash of a Program: names findings and corpus files, the same on every machine and in
// every build.

#pragma once

#include <cstdint>
#include <string_view>

#include "autograd/program/program.h"

namespace twingrad::program {

// FNV-1a, 64 bits, of the bytes: h = 0xcbf29ce484222325; for each byte h = (h ^ byte) *
// 0x100000001b3.
uint64_t Fnv1a(std::string_view bytes);

// Fnv1a of the canonical text.
uint64_t Hash(const Program& program);

}  // namespace twingrad::program
