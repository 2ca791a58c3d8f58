// Programs as cases: generated, read and shrunk in one way, whatever engine they are for.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "autograd/program/program.h"
#include "proptests/generators/options.h"
#include "proptests/subjects/subject.h"
#include "proptests/subjects/summary.h"
#include "proptests/workers/case.h"

namespace twingrad::subjects {

class ProgramSource : public workers::CaseSource {
 public:
  absl::Status Configure(const CaseOptions& options);
  void Make(uint64_t seed) override;
  std::string Text() const override;
  absl::Status Load(std::string_view text, std::string_view origin) override;
  std::string Shrink(std::string_view text,
                     const std::function<bool(std::string_view)>& still_fails) override;

  // The case of this seed; the current one stays.
  struct Made {
    program::Program program;
    generators::Features drawn;  // of one that was loaded: none
  };
  Made MakeApart(uint64_t seed) const;

  // The current one.
  const program::Program& current() const { return current_.program; }
  void SetCurrent(program::Program program) {
    current_ = {std::move(program), {}};
    seed_.reset();
  }
  // What the current Program was generated from; nothing for one that was loaded without its seed
  // (proptests/findings/case_text.h).
  std::optional<uint64_t> seed() const { return seed_; }
  // What Programs may hold: an engine that has less takes it away.
  generators::GeneratorOptions& options() { return options_; }
  const generators::GeneratorOptions& options() const { return options_; }
  // Counts the features that the generator drew for the current Program.
  void CountDrawn(DrawnFeatures* counts) const;

 private:
  generators::GeneratorOptions options_;
  Made current_;
  std::optional<uint64_t> seed_;
};

}  // namespace twingrad::subjects
