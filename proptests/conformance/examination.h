// What a started engine is asked apart from random campaigns: everything that it claims, for the
// author of its adapter, and its conventions, for a report.

#pragma once

#include <string>

#include "proptests/conformance/adapted_engine.h"
#include "proptests/conformance/doctor.h"
#include "proptests/generators/options.h"
#include "proptests/subjects/subject.h"

namespace twingrad::conformance {

// The page of `oracle doctor`: the handshake, Programs of each op that the hello claims (at most
// what `options` let Programs hold, each tried by `attempt`), conventions, and expected failures
// whose date has passed.
subjects::ForeignEngine::Examination Examine(AdaptedEngine& engine,
                                             const generators::GeneratorOptions& options,
                                             const TryProgram& attempt);

// For machines: a JSON object of name, version and conventions, these an array of objects with
// point, choice and twin.
std::string Describe(AdaptedEngine& engine);

}  // namespace twingrad::conformance
