// A law for all Programs, checked with RapidCheck; every test of this folder uses it.
//
// The seed is fixed, so that a test is reproducible; RC_PARAMS overrides it. A failing Program is
// shrunk and printed as text, with the law's message and the commands that replay it.

#pragma once

#include <functional>
#include <initializer_list>
#include <string>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "proptests/generators/options.h"
#include "proptests/oracles/evidence.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::properties {

// Returns an empty text if the law holds for the Program, else a few lines that say what is wrong.
using Law = std::function<std::string(const twingrad::program::Program&)>;

// Checks the law on that many generated Programs; a failure fails the current GoogleTest test.
void ForAll(int programs, const generators::GeneratorOptions& options, const Law& law);

// Runs a Program on some engine with that many device threads.
using Run = std::function<program::Observation(const program::Program&, int device_threads)>;

// Checks what `law` says of one run and the twin's prediction, with each number of device threads
// in `threads` in turn. Programs and thread counts of which the twin cannot tell are passed over.
void ForAllRuns(int programs, const generators::GeneratorOptions& options,
                std::initializer_list<int> threads, const Run& run,
                const std::function<std::string(const oracles::Evidence&)>& law);

// The text of a disagreement; empty for an agreement, or where the oracle did not apply.
std::string TextOf(const oracles::Verdict& verdict);

// Options with only these features or, with a leading '-', with all but these.
generators::GeneratorOptions Features(const std::string& list);

}  // namespace twingrad::properties
