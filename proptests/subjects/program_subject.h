// What the Subjects of real engines share: Programs are generated, read and shrunk in one way.

#ifndef PROPTESTS_SUBJECTS_PROGRAM_SUBJECT_H_
#define PROPTESTS_SUBJECTS_PROGRAM_SUBJECT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "autograd/program/program.h"
#include "proptests/generators/options.h"
#include "proptests/subjects/subject.h"
#include "proptests/subjects/summary.h"

namespace twingrad::oracle {

class ProgramSubject : public Subject {
 public:
  absl::Status Configure(const ProgramOptions& options) override;
  std::string Generate(uint64_t seed) override;
  absl::Status Load(std::string_view text, std::string_view origin) override;
  std::string Shrink(std::string_view text,
                     const std::function<bool(std::string_view)>& still_fails) override;

 protected:
  // Counts the features that the generator drew for the current Program; one that was loaded has
  // none.
  void CountDrawn(DrawnFeatures* counts) const;

  generators::GeneratorOptions generator_options_;
  twingrad::program::Program program_;  // the current one
  std::optional<uint64_t> seed_;        // that it was generated from

 private:
  generators::Features drawn_;
};

}  // namespace twingrad::oracle

#endif  // PROPTESTS_SUBJECTS_PROGRAM_SUBJECT_H_
