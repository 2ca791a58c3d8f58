// The command-line tool: verbs, their flags and their help, over any Subject.
//
// main.cc gives it the repository's engine; the tests give it a Subject with planted faults.

#pragma once

#include "absl/types/span.h"
#include "proptests/subjects/subject.h"
#include "tools/oracle/arguments.h"

namespace twingrad::oracle {

// All verbs in the order of the help page.
absl::Span<const VerbSpec> Verbs();

// Whether the command line asks for the engine compiled against the model of autograd/sync.
bool NeedsModel(int argc, char** argv);

// What main() returns.
int OracleMain(int argc, char** argv, const subjects::SubjectFactory& make_subject);

}  // namespace twingrad::oracle
