// Which patched copies of production sources are linked into this program.
//
// Each copy that tools/rules/mutant.bzl makes calls AddPlanted before main. A test program first
// checks that its defect is linked. If the linker took the original instead, the test would run the
// unchanged engine, and a surviving mutant would mean nothing.

#pragma once

#include <string_view>

namespace twingrad::mutants {

// Both strings must live as long as the program.
void AddPlanted(const char* defect, const char* source);

// Whether a copy with this defect is linked; if not, reports it on standard error.
bool CheckPlanted(std::string_view defect);

}  // namespace twingrad::mutants
