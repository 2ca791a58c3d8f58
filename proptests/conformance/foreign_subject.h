// The Subject of a foreign engine: an adapter in a child process, judged by twin and dual numbers.
//
// Programs are made of what the engine's hello claims. While the child runs a Program, the
// witnesses judge it here. What differs as an expected failure says is counted, not reported.

#ifndef PROPTESTS_CONFORMANCE_FOREIGN_SUBJECT_H_
#define PROPTESTS_CONFORMANCE_FOREIGN_SUBJECT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "proptests/subjects/subject.h"

namespace twingrad::oracle {

// `choice.engine` is `exec:CMD ARGS` or the name of an adapter of this repository. An error names
// what is allowed.
absl::StatusOr<std::unique_ptr<subjects::Subject>> MakeForeignSubject(
    const subjects::EngineChoice& choice);

// The words of the command that `engine` stands for; empty: unknown.
std::vector<std::string> AdapterCommand(std::string_view engine);

}  // namespace twingrad::oracle

#endif  // PROPTESTS_CONFORMANCE_FOREIGN_SUBJECT_H_
