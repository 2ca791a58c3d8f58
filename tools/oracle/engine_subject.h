// The Subject of the tool: the repository's engine, judged by its twin and its other witnesses.

#ifndef TOOLS_ORACLE_ENGINE_SUBJECT_H_
#define TOOLS_ORACLE_ENGINE_SUBJECT_H_

#include <memory>

#include "proptests/oracles/judge.h"
#include "tools/oracle/subject.h"

namespace twingrad::oracle {

// `options` say how the Judge runs; the tests give it another engine.
std::unique_ptr<Subject> MakeEngineSubject(oracles::JudgeOptions options = {});

}  // namespace twingrad::oracle

#endif  // TOOLS_ORACLE_ENGINE_SUBJECT_H_
