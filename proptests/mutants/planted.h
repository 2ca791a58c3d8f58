// Which patched copies of production sources are linked into this program.
//
// Each copy that tools/rules/mutant.bzl makes calls AddPlanted before main. The program of a test
// asks for its defect first: if the linker took the original instead, the test would be one of the
// engine as it ships, and a mutant that "survives" would say nothing.

#ifndef PROPTESTS_MUTANTS_PLANTED_H_
#define PROPTESTS_MUTANTS_PLANTED_H_

#include <string_view>

namespace twingrad::mutants {

// Both live as long as the program does.
void AddPlanted(const char* defect, const char* source);

// Whether a copy with this defect is linked; if not, says so on standard error.
bool CheckPlanted(std::string_view defect);

}  // namespace twingrad::mutants

#endif  // PROPTESTS_MUTANTS_PLANTED_H_
