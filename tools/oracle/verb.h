// What every verb of the tool shares: its signature, its exit statuses, and how it gets a Subject.
//
// A verb is a file: its page of help and its flags as a VerbSpec in the header, what it does below.
// oracle.cc lists them.

#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proptests/subjects/subject.h"
#include "tools/oracle/arguments.h"

namespace twingrad::oracle {

// Exit statuses of the tool.
inline constexpr int kNothingFound = 0;
inline constexpr int kFound = 1;
inline constexpr int kWrongUsage = 2;
inline constexpr int kCannotStart = 3;
inline constexpr int kUnknown = 4;  // a recorded schedule does not fit the engine

// Returns the exit status. An error of the kind Unavailable means that an engine could not be
// started, any other wrong usage.
using RunVerb = absl::StatusOr<int> (*)(const Arguments& arguments,
                                        const subjects::SubjectFactory& make_subject);

// The Subject that the flags ask for, configured as they say; not started.
absl::StatusOr<std::unique_ptr<subjects::Subject>> ConfiguredSubject(
    const Arguments& arguments, const subjects::SubjectFactory& make_subject);

// Starts the engine; an error has the kind Unavailable.
absl::Status Start(subjects::Subject& subject);

// Makes the Program in the verb's operand the current case.
absl::Status LoadOperand(const Arguments& arguments, subjects::Subject& subject);

// A seed that no run had before, for all practical purposes; print it.
uint64_t FreshSeed();

}  // namespace twingrad::oracle
