// The folder of a finding of a fuzz target: what `oracle replay` and a person need.
//
//   program.txt     the smallest input that still kills the target, byte by byte
//   original.txt    as it was found
//   report.txt      what a person reads first
//   finding.json    for `replay`: the target, its arguments and limits

#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "fuzz/campaign/targets/target.h"
#include "proptests/workers/case.h"

namespace twingrad::campaign {

struct TargetFinding {
  Target target;
  workers::Failure failure;
  std::string input;      // as found
  std::string smallest;   // minimized
  bool repeats = false;   // the input kills a fresh process too
  uint64_t seed = 0;      // of the shard
  std::string signature;  // TargetSignature of the failure's result
};

// What is said of a death, without names and numbers: where two differ, they are two findings.
std::string TargetKind(const workers::CaseResult& result);
std::string TargetSignature(const workers::CaseResult& result);

// Writes the folder below `parent`; returns its path.
absl::StatusOr<std::string> WriteTargetFinding(const TargetFinding& finding,
                                               const std::string& parent);

}  // namespace twingrad::campaign
