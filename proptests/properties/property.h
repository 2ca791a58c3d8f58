// A law for all Programs, checked with RapidCheck: what every test of this folder is made of.
//
// The seed is fixed, so that a test says the same each time; RC_PARAMS overrides it. A failure is
// shrunk, printed as text with the law's own words, and ends with the commands that replay it.

#ifndef PROPTESTS_PROPERTIES_PROPERTY_H_
#define PROPTESTS_PROPERTIES_PROPERTY_H_

#include <functional>
#include <string>

#include "autograd/program/program.h"
#include "proptests/generators/options.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::properties {

// Empty: the law holds for this Program; else what is wrong, in a few lines.
using Law = std::function<std::string(const twingrad::program::Program&)>;

// Checks the law on that many generated Programs, as the running GoogleTest test.
void ForAll(int programs, const generators::GeneratorOptions& options, const Law& law);

// The text of a disagreement; empty for an agreement, or where the oracle did not apply.
std::string TextOf(const oracles::Verdict& verdict);

// Options with these features alone, or, with a leading '-', without these.
generators::GeneratorOptions Features(const std::string& list);

}  // namespace twingrad::properties

#endif  // PROPTESTS_PROPERTIES_PROPERTY_H_
