// `oracle conform`: all goldens on a foreign engine.

#ifndef TOOLS_ORACLE_CONFORM_H_
#define TOOLS_ORACLE_CONFORM_H_

#include "absl/status/statusor.h"
#include "proptests/subjects/subject.h"
#include "tools/oracle/arguments.h"

namespace twingrad::oracle {

// Runs golden/programs and golden/findings, below the working directory, in worker processes;
// prints a line for each that does not agree, and a summary. With --update the engine's list is
// rewritten in the workspace. The exit status.
absl::StatusOr<int> RunConform(const Arguments& arguments, subjects::Subject& subject);

}  // namespace twingrad::oracle

#endif  // TOOLS_ORACLE_CONFORM_H_
