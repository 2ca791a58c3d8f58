// What a started engine is asked apart from random campaigns: everything that it claims, for the
// author of its adapter, and its conventions, for a report.

#ifndef PROPTESTS_CONFORMANCE_EXAMINATION_H_
#define PROPTESTS_CONFORMANCE_EXAMINATION_H_

#include <string>

#include "proptests/conformance/doctor.h"
#include "proptests/conformance/foreign_engine.h"
#include "proptests/generators/options.h"

namespace twingrad::conformance {

// The page of `oracle doctor`: the handshake, Programs of each op that the hello claims (at most
// what `options` let Programs hold, each tried by `attempt`), conventions, and expected failures
// whose date has passed. `*healthy`: nothing is wrong.
std::string Examine(ForeignEngine& engine, const generators::GeneratorOptions& options,
                    const TryProgram& attempt, bool* healthy);

// The engine's conventions beside the twin's: a JSON array of objects with point, choice and twin.
std::string ConventionsReport(ForeignEngine& engine);

}  // namespace twingrad::conformance

#endif  // PROPTESTS_CONFORMANCE_EXAMINATION_H_
