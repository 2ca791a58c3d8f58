// The repository's engine as a Subject, judged by its twin and its other witnesses.

#ifndef PROPTESTS_SUBJECTS_ENGINE_SUBJECT_H_
#define PROPTESTS_SUBJECTS_ENGINE_SUBJECT_H_

#include <memory>

#include "proptests/judge/judge.h"
#include "proptests/subjects/subject.h"

namespace twingrad::subjects {

// `options` say how the Judge runs; the tests give it another engine.
std::unique_ptr<Subject> MakeEngineSubject(oracles::JudgeOptions options = {});

}  // namespace twingrad::subjects

#endif  // PROPTESTS_SUBJECTS_ENGINE_SUBJECT_H_
