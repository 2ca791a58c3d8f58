// The canonical text of a Program, the inverse of Parse, and its hash.
//
// Pure functions. Malformed Programs are printed too, with `?` for what has no text, so that their
// faults can be shown; Validate tells whether a Program is well-formed.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "autograd/program/program.h"

namespace twingrad::program {

// The header line and one line per statement, each ended by a newline.
std::string Print(const Program& program);

// One statement without a newline, e.g. `%y = mul %a %b`.
std::string PrintStatement(const Program& program, int statement);

// FNV-1a, 64 bits, of the bytes: h = 0xcbf29ce484222325; for each byte h = (h ^ byte) *
// 0x100000001b3.
uint64_t Fnv1a(std::string_view bytes);

// The content hash, Fnv1a of the canonical text: names findings and corpus files, the same on every
// machine and in every build.
uint64_t Hash(const Program& program);

}  // namespace twingrad::program
