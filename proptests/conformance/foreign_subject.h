// The Subject of a foreign engine: an adapter in a child process, judged by twin and dual numbers.
//
// Programs are made of what the engine's hello claims. What differs as an expected failure says is
// counted, not reported.

#ifndef PROPTESTS_CONFORMANCE_FOREIGN_SUBJECT_H_
#define PROPTESTS_CONFORMANCE_FOREIGN_SUBJECT_H_

#include <memory>
#include <string>
#include <vector>

#include "proptests/subjects/subject.h"

namespace twingrad::conformance {

// `command` starts the adapter; `options` say what it may take.
std::unique_ptr<oracle::Subject> MakeForeignSubject(std::vector<std::string> command,
                                                    const oracle::EngineOptions& options);

}  // namespace twingrad::conformance

#endif  // PROPTESTS_CONFORMANCE_FOREIGN_SUBJECT_H_
