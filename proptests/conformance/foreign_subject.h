// The Subject of a foreign engine: an adapter in a child process, judged by twin and dual numbers.
//
// Programs are made of what the engine's hello claims. What differs as an expected failure says is
// counted, not reported.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "proptests/subjects/subject.h"

namespace twingrad::conformance {

// `command` starts the adapter; `choice` says what it may take.
std::unique_ptr<subjects::Subject> MakeForeignSubject(std::vector<std::string> command,
                                                      const subjects::EngineChoice& choice);

}  // namespace twingrad::conformance
