#include "proptests/subjects/program_source.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "autograd/program/parse.h"
#include "autograd/program/print.h"
#include "proptests/findings/case_text.h"
#include "proptests/generators/generate.h"
#include "proptests/shrink/shrink.h"

namespace twingrad::subjects {
namespace {

using program::Program;

// The generator's complaint about a flag, in the tool's form.
absl::Status Refusal(std::string_view flag, const absl::Status& status) {
  if (status.ok()) return status;
  std::string_view why = status.message();
  absl::ConsumePrefix(&why, "[generator] ");
  return absl::InvalidArgumentError(
      absl::StrCat("[oracle] --", flag, ": ", why, "; see `oracle check --help`"));
}

}  // namespace

absl::Status ProgramSource::Configure(const CaseOptions& options) {
  absl::Status status;
  if (!options.features.empty()) {
    const std::string list = absl::StrJoin(options.features, ",");
    status = Refusal("features", generators::SetFeatures(list, &options_));
  }
  if (status.ok() && !options.ops.empty()) {
    const std::string list = absl::StrJoin(options.ops, ",");
    status = Refusal("ops", generators::SetOps(list, &options_));
  }
  if (status.ok()) {
    status = Refusal("weights", generators::SetWeights(options.weights, &options_));
  }
  if (status.ok() && !options.device.empty()) {
    status = Refusal("device", generators::SetDevice(options.device, &options_));
  }
  options_.streams = options.streams;
  options_.max_elements = options.elements;
  options_.max_rank = options.rank;
  return status;
}

void ProgramSource::Make(uint64_t seed) {
  seed_ = seed;
  current_ = MakeApart(seed);
}

ProgramSource::Made ProgramSource::MakeApart(uint64_t seed) const {
  Made made;
  made.program = generators::Generate(seed, options_, &made.drawn);
  return made;
}

std::string ProgramSource::Text() const { return program::Print(current_.program); }

void ProgramSource::CountDrawn(DrawnFeatures* counts) const { counts->Add(current_.drawn); }

absl::Status ProgramSource::Load(std::string_view text, std::string_view origin) {
  const findings::Case parts = findings::SplitCase(text);
  absl::StatusOr<Program> program = program::Parse(parts.program);
  if (!program.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("[oracle] ", origin, " holds no Program; ",
                                                   program.status().message(),
                                                   "; see autograd/program/README.md"));
  }
  SetCurrent(*std::move(program));
  seed_ = parts.seed;
  return absl::OkStatus();
}

std::string ProgramSource::Shrink(std::string_view text,
                                  const std::function<bool(std::string_view)>& still_fails) {
  findings::Case parts = findings::SplitCase(text);
  absl::StatusOr<Program> program = program::Parse(parts.program);
  if (!program.ok()) return std::string(text);
  const auto text_of = [&](const Program& smaller) {
    parts.program = program::Print(smaller);
    return findings::JoinCase(parts);
  };
  const auto fails = [&](const Program& smaller) { return still_fails(text_of(smaller)); };
  return text_of(shrink::Shrink(*program, fails).program);
}

}  // namespace twingrad::subjects
