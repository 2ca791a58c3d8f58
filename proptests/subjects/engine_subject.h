// The repository's engine as a Subject, judged by its twin and its other witnesses.

#pragma once

#include <memory>

#include "proptests/judge/judge.h"
#include "proptests/subjects/subject.h"

namespace twingrad::subjects {

// `options` say how the Judge runs; the tests give it another engine.
std::unique_ptr<Subject> MakeEngineSubject(judge::JudgeOptions options = {});

}  // namespace twingrad::subjects
