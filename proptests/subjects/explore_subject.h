// The engine under a scheduler as a Subject: judging a Program means running it under many
// schedules.
//
// Compiled against the model only (tools/rules/backends.bzl). A case is a
// Program, or a Program with the schedule that it is to be run under (case_text.h).

#pragma once

#include <memory>

#include "proptests/subjects/subject.h"

namespace twingrad::subjects {

std::unique_ptr<Subject> MakeExploreSubject();

}  // namespace twingrad::subjects
