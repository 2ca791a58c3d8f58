// What a program that libFuzzer drives says: how far it is, and what it died of.
//
// Pure functions of text, which may hold anything: what an input made a target print is in it, too.

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "proptests/workers/case.h"

namespace twingrad::campaign {

struct Progress {
  uint64_t runs = 0;
  uint64_t covered = 0;  // edges
};

// Of a line such as `#4096 pulse cov: 310 ft: 402 corp: 9/87b ...`, or that of the final
// statistics, which has runs alone; nothing for all others.
std::optional<Progress> ProgressIn(std::string_view line);

// Whether the line says that seeds and corpus have been read.
bool IsBegun(std::string_view line);

// What killed a target that left the file `artifact`, which libFuzzer names after its kind: the
// oracle is crash, leak, hang or memory, and the text what the target or a sanitizer said, and the
// innermost functions, without those of sanitizers and libFuzzer.
workers::CaseResult DeathIn(std::string_view output, std::string_view artifact);

// An input for a person to read: a Program as it is, anything else in lines of a dump that begin
// with `#`.
std::string Shown(std::string_view input);

// The bytes in hexadecimal digits, and back; nothing where it is no such text.
std::string Hex(std::string_view bytes);
std::optional<std::string> Unhex(std::string_view digits);

// The edges of a control file of `-merge=1`: what the inputs that it lists cover together.
std::set<uint32_t> EdgesIn(std::string_view control);

}  // namespace twingrad::campaign
